# ---
# title: Autograd ohne Zahlen
# goal: Worte statt Zahlen durch einen Graphen zurückschicken und backward für Operationen auf Texten schreiben.
# explorer: Nachrichten gehen die orangen Kanten hinauf und sammeln sich an den Blättern. Der Name hört zweimal von sich.
# ---

# %% [markdown] of="512cb2"
# # Autograd ohne Zahlen
#
# Ein Programm schreibt einen Brief: einen Gruß, einen Namen, einen Text, noch einmal den Namen. Jemand liest ihn und
# beschwert sich: „An Stelle 12 müsste ein e stehen.“ **Welches der Stücke ist schuld, und wo darin?**
#
# Bei Zahlen wird addiert, was von zwei Benutzern zurückkommt. Ziehe an `x`. In dieser Lektion kommen Notizen zurück, und
# sie werden gesammelt.
#
# ```figure
# x = 1 from -2 to 3
# once = x * 2
# again = x * x
# y = once + again
# show von once = once_to_x
# show von again = again_to_x
# show gesammelt = slope
# ```
#
# Du kennst diese Frage. Ein Ergebnis ist nicht, was es sein sollte; es wurde in vielen Schritten aus vielen Eingaben
# gemacht; wer muss sich ändern, und wie? Das beantwortet backward. Bisher war die Antwort eine Zahl. Das muss sie nicht
# sein.
#
# Am Ende dieser Lektion kannst du
#
# - sagen, welcher Teil von Autograd von Zahlen handelt und welcher nicht,
# - backward für Operationen auf Texten schreiben,
# - ein Programm seinen eigenen Text verbessern lassen, mit einem Kritiker, einem backward und einem Schritt.
#
# Du brauchst die Lektionen 1, 2 und 6.

# %% [markdown] of="677038"
# ## Drei Dinge, und keine Rechnung
#
# Sieh dir noch einmal die Maschine aus Lektion 2 an. Sie braucht
#
# 1. einen Graphen: wer aus wem gemacht wurde,
# 2. für jede Operation eine *Regel*: Gegeben, was für meine Ausgabe zurückkam, was schicke ich an meine Eingaben?
# 3. eine Art, *zusammenzufügen*, was auf mehreren Wegen kommt.
#
# In Lektion 1 war die Regel „mal meine Steigung“, und das Zusammenfügen war „plus“. Aber die Maschine selbst, die die
# Verwendungen zählt, wartet und weitergeht, hat nie eine Zahl angesehen. Also hat minigrad `minigrad.text`: dieselbe
# Maschine, und anstelle von Tensoren Texte.

# %% [markdown] of="0ac26a"
# Was zu `name` zurückkam, ist ein Satz. Die eingebaute Regel ist einfach: Sie reicht die Rückmeldung weiter und sagt,
# worum es ging. Ein Mensch, der sie liest, kann den Namen verbessern. Das könnte auch ein Sprachmodell, und es gibt
# Programme, die die Anweisungen von Sprachmodellen genau so verbessern.
#
# Wir wollen eine Regel, die *genau* ist. Einigen wir uns also auf eine Form für die Rückmeldung.
#
# ## Ein Kritiker
#
# Der Kritiker vergleicht einen Text mit dem, was er sein sollte, und sagt, an welchen Stellen welcher Buchstabe gewünscht
# ist. Wir schreiben das als `2:a`, oder `2:a 3:m` für zwei Stellen. (Stellen werden von 0 an gezählt. Leerzeichen schreiben
# wir als `_`.)

# %% [markdown] of="520d12"
# Das ist unser Verlust: Er ist leer, wenn alles gut ist. (Er kennt nur Buchstaben, die zu *ändern* sind, keine, die
# einzufügen wären. Das hält die Regeln kurz.)
#
# ### Aufgabe: die Regel des Verbindens
#
# `Dear ` und `Adam` werden zu `Dear Adam` verbunden. Der Kritiker sagt `8:a`. Wessen Buchstabe ist das? Der erste Text hat
# 5 Buchstaben, an den Stellen 0 bis 4. Also ist Stelle 8 des Ergebnisses Stelle 3 des zweiten Textes.
#
# Schreibe `join_backward(parts, notes)`. `parts` sind die Texte, die verbunden wurden; `notes` ist eine Liste von Paaren
# (Stelle, Buchstabe) für das Ergebnis. Gib eine Liste mit einem Eintrag für jedes Teil zurück: der Liste *seiner*
# Notizen.

# %% [markdown] of="05ee43"
# Führe eine Zahl `start`: die Stelle im Ergebnis, an der das jetzige Teil beginnt. Sie wächst um `len(part)`.

# %% [markdown] of="f87fc5"
# Zu einem Teil gehören die Notizen mit `start <= place < start + len(part)`. Im Teil ist die Stelle `place - start`.

# %% [markdown] of="499850"
# ### Aufgabe: die Regel des Spiegels
#
# Eine zweite Operation dreht einen Text um: Aus `abc` wird `cba`. Was zuerst steht, kam von der letzten Stelle.
#
# Schreibe `mirror_backward(length, notes)`: die Notizen für den Text, bevor er umgedreht wurde.

# %% [markdown] of="7475b7"
# In einem Text der Länge 3 tauschen Stelle 0 und Stelle 2, und Stelle 1 bleibt. Was ist die Summe der beiden?

# %% [markdown] of="34f65b"
# Stelle `p` des Ergebnisses ist Stelle `length - 1 - p` der Eingabe. Der Buchstabe bleibt, was er ist.

# %% [markdown] of="dcdabe"
# Sage es nun minigrad. Eine Operation auf Texten ist eine Klasse mit einem `forward`, das das Ergebnis macht, und einem
# `feedback`, das alles bekommt, was zurückkam, und für jede Eingabe einen Text zurückgibt. Die Klasse kennt ihre `inputs`,
# wie jeder Knoten, der sie gespeichert hat.

# %% [markdown] of="3ea71f"
# Ein Palindrom liest sich von beiden Seiten gleich. Hier ist ein Programm, das eines macht: ein Text, und dann sein
# Spiegelbild.

# %% [markdown] of="95b971"
# `half` wird in diesem Programm zweimal benutzt: einmal, wie es ist, und einmal im Spiegel. Der Kritiker will
# `nevar oddo raven`. Wie viele Rückmeldungen sammeln sich in `half.grad`?
#
# ---
# **2**, eine für jeden Weg, der von `half` zum Ergebnis führt: einer allein durch das Verbinden, einer durch den Spiegel
# und das Verbinden.

# %% [markdown] of="e566c1"
# Wir wollten `nevar oddo raven`. Zwei Stellen des Ergebnisses sind falsch, 3 und 12. An beiden ist derselbe Buchstabe
# schuld: Stelle 3 von `half`, einmal direkt und einmal durch den Spiegel. Niemand musste minigrad sagen, dass es mit
# `half` warten soll, bis beide gesprochen haben. Es ist die Maschine aus Lektion 2.
#
# Aber eines ist anders. Zahlen wurden *addiert*. Notizen lassen sich nicht addieren, also werden sie nebeneinander
# behalten, in einer Liste. **Was „zusammenfügen“ bedeutet, ist Sache dessen, was zurückfließt.**
#
# ## Ein Schritt
#
# Was soll ein Blatt mit all den Notizen in seiner Liste tun? Sie können einander widersprechen! Zahlen regeln das durch
# Addieren: Ein Schub von 3 nach links und einer von 1 nach rechts machen 2 nach links. Buchstaben können abstimmen.
#
# ### Aufgabe: abstimmen
#
# Schreibe `improved(old, notes)`: den Text `old`, in dem jede Stelle, die Notizen hat, den Buchstaben annimmt, den die
# meisten davon wünschen. Bei Gleichstand gewinnt der, der zuerst gesagt wurde. (`Counter(letters).most_common(1)[0][0]`
# ist genau das.)

# %% [markdown] of="08b396"
# Geh die Stellen von `old` durch. Sammle für jede die Buchstaben, die die Notizen dort wünschen.

# %% [markdown] of="e2c449"
# Ist die Sammlung nicht leer, so wird `new[place]` ihr häufigster Buchstabe. Ist sie leer, so bleibt der alte Buchstabe.

# %% [markdown] of="5a0d65"
# ### Aufgabe: lernen
#
# Nun die Schleife aus Lektion 6, ohne eine Zahl darin: forward, Kritiker, backward, Schritt. Schreibe
# `learn(make, parameters, wanted, rounds)`. `make()` führt das Programm aus und gibt das Ergebnis, eine `Variable`. Schicke in jeder
# Runde die Notizen des Kritikers zurück, verbessere das `.data` jedes Parameters, *und leere sein `.grad`*, das eine Liste
# ist. Wenn der Kritiker nichts zu sagen hat, höre früher auf. Gib den Text des letzten `make()` zurück.

# %% [markdown] of="720ab7"
# Zuerst `result.backward(said)`. Sammle dann für jeden Parameter die Notizen aller Stücke in `parameter.grad`;
# `understand(each.data)` gibt dir die eines Stückes.

# %% [markdown] of="d510ea"
# `parameter.data = improved(parameter.data, notes)`, und dann `parameter.grad.clear()`. Ohne das Letzte würden die Notizen
# der ersten Runde in der zweiten noch mitstimmen.

# %% [markdown] of="a4bed0"
# Was, wenn der Kritiker etwas will, das kein Palindrom ist? Dann wünschen die beiden Wege verschiedene Buchstaben, die
# Abstimmung ist unentschieden, und das Programm tut, was es kann:

# %% [markdown] of="f24b91"
# Ein Verlust, der nicht null werden kann, weil das Programm es nicht sagen kann: Dem bist du bei Zahlen auch begegnet,
# überall dort, wo eine gerade Linie zu krummen Daten passen sollte.
#
# ## Sieh den Nachrichten zu
#
# Hier ist der Brief. Sein Name wird zweimal benutzt, und die Leserin weiß besser, wie man ihn schreibt.

# %% [markdown] of="1cb445"
# Sieh dir seinen Graphen an. Klicke auf der Seite der Lektion oben auf **Hier zeigen**, und der Graph
# steht neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 15` in ein Terminal: Der Browser
# öffnet sich beim neuesten Schritt, und das ist der Brief:
#
# 1. Er sieht aus wie jeder Graph, den du gesehen hast. Zwei Knoten **Join**, drei Blätter und eine Kante für jede
#    Verwendung: `name` hat zwei.
# 2. Drücke **home**, dann **→**. Die Texte entstehen von oben nach unten. Dann beginnt backward, und Nachrichten gehen die
#    orangen Kanten hinauf.
# 3. Beobachte währenddessen das Kästchen in der Ecke: **runs**, **ready**, **waits**. Das erste Join darf nicht vor dem
#    zweiten sprechen. Und `name` hört von beiden.
# 4. Klicke auf `name`. Zwei Beiträge kamen, von den beiden Joins, und darunter stehen beide, einer nach dem anderen:
#    gesammelt, nicht addiert. Die beiden Kästen **Gather** neben dem Graphen sind die Enden des Weges, die das getan
#    haben. Klicke nun auf `middle`: Es hat kein **.grad**. Warum nicht?
#
# ## Zusammenfassung
#
# - Autograd ist ein Graph, eine Regel für jede Operation und eine Art zusammenzufügen. Zahlen sind ein Fall davon.
# - Eine Regel für Text sagt, woher ein Stück des Ergebnisses kam. Die Rückmeldung geht denselben Weg zurück.
# - Zahlen werden addiert; Nachrichten werden gesammelt. Der Schritt entscheidet, was man damit tut.
# - Die Schleife ist dieselbe: forward, Verlust, backward, Schritt, leeren.
#
# ## Zwei offene Fragen
#
# 1. Unser Kritiker kann nur Buchstaben ändern. Was müssten die Regeln von `Join` und `Mirror` sagen, wenn die Rückmeldung
#    auch „setze ein e *vor* Stelle 5“ sein könnte? Was ist schwierig an zwei solchen Notizen für denselben Text?
# 2. Frage anstelle des Kritikers einen Menschen: „Was gefällt dir an diesem Brief nicht?“ Welche der Regeln würden noch
#    gehen, und wer müsste die Regel von `Join` sein? (`text.set_feedback` nimmt jede Funktion.)

# %% [markdown] tags=["wrong"] id="join" of="9268f6"
# Die Stellen sind die des Ergebnisses. Im Teil beginnen sie wieder bei 0: `place - start`.

# %% [markdown] tags=["wrong"] id="join" of="60cffe"
# Jedes Teil bekommt alle Notizen. Zu einem Teil gehören die zwischen seinem Anfang und seinem Ende.

# %% [markdown] tags=["wrong"] id="join" of="669a9a"
# Die Stelle `end` gehört zum nächsten Teil: `start <= place < end`.

# %% [markdown] tags=["wrong"] id="join" of="0fae08"
# `start` bleibt 0. Es wächst um die Länge jedes Teils.

# %% [markdown] tags=["wrong"] id="join" of="0b2a13"
# Der erste Buchstabe eines Teils wird ausgelassen: `start <= place`.

# %% [markdown] tags=["wrong"] id="join" of="e4605e"
# Alle Notizen stehen in einer Liste. Gib eine Liste für jedes Teil zurück.

# %% [markdown] tags=["wrong"] id="mirror" of="2e2008"
# Stellen werden von 0 an gezählt, also ist die letzte `length - 1`: Du bist um eins zu weit.

# %% [markdown] tags=["wrong"] id="mirror" of="e275c1"
# Du drehst die Liste der Notizen um. Drehe die Stellen um: `length - 1 - place`.

# %% [markdown] tags=["wrong"] id="mirror" of="9baf3c"
# Die Notizen gehen unverändert hindurch. Was zuerst stand, kam von der letzten Stelle.

# %% [markdown] tags=["wrong"] id="mirror" of="d72215"
# Das Vorzeichen ist falsch herum: `length - 1 - place`.

# %% [markdown] tags=["wrong"] id="mirror" of="e099c8"
# Der Buchstabe geht verloren. Eine Notiz ist ein Paar aus einer Stelle und einem Buchstaben.

# %% [markdown] tags=["wrong"] id="improved" of="100da0"
# Die letzte Notiz gewinnt. Zähle, welchen Buchstaben die meisten wünschen.

# %% [markdown] tags=["wrong"] id="improved" of="fe1ea1"
# Die erste Notiz gewinnt. Zähle, welchen Buchstaben die meisten wünschen.

# %% [markdown] tags=["wrong"] id="improved" of="3935f7"
# Der Buchstabe, den im ganzen Text die meisten wünschen, kommt an jede Stelle mit Notizen. Zähle für jede Stelle
# einzeln.

# %% [markdown] tags=["wrong"] id="improved" of="49c492"
# Es wird nichts geändert. Setze den häufigsten Buchstaben in `new[place]`.

# %% [markdown] tags=["wrong"] id="improved" of="743700"
# Das ist der Buchstabe, den die *wenigsten* wünschen.

# %% [markdown] tags=["wrong"] id="learn" of="4db4f5"
# Die alten Notizen werden nie geleert und stimmen noch einmal mit: `parameter.grad.clear()`.

# %% [markdown] tags=["wrong"] id="learn" of="fad863"
# Nur der erste Parameter wird verbessert.

# %% [markdown] tags=["wrong"] id="learn" of="b5ef37"
# Der Text bleibt, wie er war: Rufe `result.backward(said)` auf, lege das Ergebnis von `improved` in `parameter.data`
# ab, und leere zuletzt.

# %% [markdown] tags=["wrong"] id="learn" of="96c8f7"
# Du beachtest nur die erste Notiz. Nimm alle Notizen aller Stücke.

# %% [markdown] tags=["check"] id="learn" of="aff2fb"
# der Text, mit dem `learn` endet, wenn half = {start} ist, das Programm Join(half, Mirror(half)) ist und {wanted}
# gewünscht wird, in {rounds} Runden

# %% [markdown] tags=["check"] id="learn" of="82ceda"
# ein Wort, das in einer Runde {first} lernt und dann in einer anderen {second}: Alte Notizen dürfen in der zweiten
# nicht mitstimmen

# %% [markdown] tags=["check"] id="learn" of="462d9f"
# die beiden Texte {first} und {second} nach dem `learn` ihres Join, wenn {wanted} gewünscht wird

# %% [markdown] tags=["check"] id="learn" of="c37dd7"
# was nach `learn` in `word.grad` steht

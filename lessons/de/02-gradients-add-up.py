# ---
# title: Gradienten addieren sich
# goal: Durch jeden Graphen in der richtigen Reihenfolge zurückgehen, wie oft ein Wert auch benutzt wird und wie tief der Graph auch ist.
# explorer: Zwei Kanten führen von a zum ersten Add; während backward läuft, zählt das Kästchen in der Ecke, wer noch wartet.
# ---

# %% [markdown] of="ce592c"
# # Gradienten addieren sich
#
# In Lektion 1 wurde jeder Wert einmal benutzt, und das Programm war eine Kette. Wirkliche Programme sind keine Ketten.
# **Ein Wert wird zweimal benutzt: Welcher der beiden Gradienten ist sein eigener? Und in welcher Reihenfolge muss ich
# zurückgehen, damit keiner vergessen wird?**
#
# Hier erreicht `a` das `y` auf zwei Wegen. Ziehe daran: Die beiden Steigungen addieren sich, wo du auch bist.
#
# ```figure
# a = 1.5 from -1 to 3
# b = a + 1
# y = a * b
# show direkt, a in a * b = y_to_a
# show über b = b_to_a
# show zusammen, die Steigung = slope
# ```
#
# Am Ende dieser Lektion kannst du
#
# - sagen, was mit dem Gradienten eines Wertes geschieht, der mehr als einmal benutzt wird,
# - erklären, warum jede Autograd-Maschine eine *topologische Ordnung* braucht und was ohne sie schiefgeht,
# - diese Maschine selbst schreiben, in etwa fünfundzwanzig Zeilen, für einen Graphen, der 20.000 Operationen tief ist.
#
# Du brauchst Lektion 1: Steigungen entlang einer Kette multiplizieren sich, und ein Gradient sagt, wie schnell sich das
# Endergebnis bewegt.

# %% [markdown] of="17c764"
# ## Ein Wert, der zweimal benutzt wird
#
# Nimm $y = x \cdot x$ bei `x = 3`. Bewege `x` um 0,001. Beide Faktoren bewegen sich, denn beide *sind* `x`. Jeder von
# ihnen bewegt das Produkt um etwa 3 · 0,001. Also bewegt sich das Produkt um etwa 6 · 0,001, und die Steigung ist 6.

# %% [markdown] of="64de5c"
# Die Regel der Multiplikation gibt *zwei* Gradienten zurück, 3 für den ersten Faktor und 3 für den zweiten. Keiner
# allein ist die Antwort. **Wo ein Wert mehr als einmal benutzt wird, addieren sich seine Gradienten.**
#
# Denke dir die beiden Verwendungen als zwei Wege, auf denen ein Schub an `x` das Ergebnis erreicht. Das Ergebnis spürt,
# was auf dem einen Weg kommt, *und* was auf dem anderen kommt.
#
# ### Aufgabe: zwei Wege
#
# In $y = w \cdot x - x$ erreicht die Zahl `x` das `y` auf zwei Wegen: durch das Produkt und direkt. Schreibe
# `two_ways(w, x, grad)`. Es gibt die Gradienten von `w` und `x` zurück, wenn `grad` bei `y` angekommen ist.

# %% [markdown] of="081d1e"
# Eine Differenz `p - q` reicht `grad` an `p` und `-grad` an `q`: Wenn `q` wächst, fällt die Differenz.

# %% [markdown] of="d55a29"
# Auf dem ersten Weg bekommt `x` nach der Regel der Multiplikation `grad * w`. Auf dem zweiten bekommt es `-grad`.
# Addiere die beiden.

# %% [markdown] of="299af6"
# ## Ein winziges Autograd
#
# Um zurückzugehen, müssen wir wissen, wer aus wem gemacht wurde. Also merkt sich jeder Wert seine *Eltern*: die Werte,
# aus denen er gemacht wurde, jeden mit der Steigung entlang dieses Schrittes. Hier ist alles, was wir brauchen:

# %% [markdown] of="6af484"
# `c` ist viermal `a`, also muss der Gradient von `a` gleich 4 sein. Beachte, dass `b` *zweimal* unter den Eltern von `c`
# steht. Es wurde in derselben Operation zweimal benutzt, und beide Verwendungen zählen.
#
# ## Der eilige Weg, und warum er falsch ist
#
# Der erste Einfall fast aller Leute: Beginne am Ende. Addiere zum Gradienten jedes Elternteils, und gehe dann von diesem
# aus weiter.

# %% [markdown] of="4b6d85"
# `b = a + a` und `c = b + b`. Der Gradient von `a` sollte 4 sein. Sei der Computer, Zeile für Zeile: Was macht `hasty`
# daraus?
#
# ---
# **6**. Zwei zu viel.

# %% [markdown] of="dfb3f8"
# Es sagt 6 und nicht 4. Verfolge es mit dem Bleistift:
#
# 1. `c` gibt `b` eine 1. Jetzt ist `b.grad` gleich 1.
# 2. Es geht *sofort* weiter: `b` gibt `a` eine 1, und noch einmal 1. Jetzt ist `a.grad` gleich 2.
# 3. Zurück bei `c`, die zweite Verwendung: `c` gibt `b` noch eine 1. Jetzt ist `b.grad` gleich 2, und das stimmt.
# 4. Es geht wieder von `b` aus weiter und gibt `a` eine 2, zweimal. Jetzt ist `a.grad` gleich 2 + 4 = 6.
#
# Der Fehler steckt in Schritt 2. `b` hat gesprochen, **bevor es alles gehört hatte**. Später sprach es noch einmal und
# wiederholte, was es schon gesagt hatte.
#
# ## Der geduldige Weg, und warum er langsam ist
#
# Das ließe sich beheben: Trage nur den *neuen* Teil weiter. Dann wird jeder Weg vom Ende zu `a` für sich gegangen.

# %% [markdown] of="77ef7b"
# 2 Operationen brauchten 7 Aufrufe, und eine braucht 3. Jeder Aufruf macht zwei weitere, einen für jeden Elternteil, bis
# er unten ankommt. Wie viele Aufrufe brauchen 10 Operationen?
#
# ---
# **2.047**. Unter dem ersten Aufruf sind es 2, dann 4, dann 8 und so weiter: 1 + 2 + 4 + ... + 1.024. Jede weitere
# Operation fügt eine letzte Reihe hinzu, die doppelt so lang ist.

# %% [markdown] of="049b81"
# Die Gradienten stimmen jetzt. Aber jede weitere Operation verdoppelt die Arbeit: 15 Operationen brauchen 65.535
# Aufrufe. Bei 60 Operationen wären es mehr als zwei Trillionen. Ein tiefes Netz hat Tausende von Operationen.
#
# ## Die richtige Reihenfolge
#
# Der erste Weg war falsch, weil ein Wert zu früh sprach. Der zweite ist langsam, weil ein Wert für jeden Weg einmal
# spricht. Also wollen wir beides:
#
# > Jeder Wert spricht **einmal**, und erst, **nachdem alle gesprochen haben, die ihn benutzt haben**.
#
# Eine Reihenfolge der Werte, die dieses Versprechen hält, heißt *topologische Ordnung*. Es gibt sie für jedes Programm,
# denn nichts kann aus einem Wert gemacht werden, den es noch nicht gibt.
#
# Wie finden wir sie? Zähle. Zähle für jeden Wert, wie oft er benutzt wird. Beginne mit dem Ende, das niemand benutzt.
# Immer wenn ein Wert gesprochen hat, wartet jeder seiner Elternteile auf eine Verwendung weniger. Wartet einer auf keine
# mehr, so ist er bereit.
#
# Noch etwas. Python erlaubt einer Funktion, sich selbst etwa tausend Ebenen tief aufzurufen. Ein Fehler, der über 20.000
# Schritte aufsummiert wurde, ergibt einen Graphen, der 20.000 tief ist:

# %% [markdown] of="2f2ad1"
# Also darf sich keine Funktion selbst aufrufen. Nimm eine Schleife, und eine Liste dessen, was noch zu tun ist.
#
# ### Aufgabe: die Verwendungen zählen
#
# Schreibe `uses(root)`. Es gibt ein Dictionary zurück: für jeden Wert, aus dem `root` gemacht wurde, wie oft er auf dem
# Weg zu `root` benutzt wird. Auch `root` selbst steht darin, mit 0. Ist derselbe Wert beide Eltern einer Operation, so
# zählt das zwei.

# %% [markdown] of="2720c6"
# `while to_visit:` Nimm mit `to_visit.pop()` einen Wert aus der Liste, und sieh dir jeden seiner Elternteile an.

# %% [markdown] of="f15411"
# Jeder Elternteil bekommt jedes Mal eine Verwendung mehr. Aber setze ihn nur auf die Liste, wenn du ihn zum *ersten* Mal
# siehst, also wenn er noch nicht in `counts` steht. Sonst gehst du wieder jeden Weg.

# %% [markdown] of="6b2996"
# ### Aufgabe: die Reihenfolge
#
# Schreibe `topological_order(root)`. Es gibt eine Liste aller Werte zurück, `root` zuerst, in der jeder Wert *nach allen*
# steht, *die ihn benutzen*. Benutze dein `uses`, und keine Rekursion.

# %% [markdown] of="0f58e4"
# `while ready:` Nimm einen Wert aus `ready`, und hänge ihn an `order` an. Damit hat er gesprochen, und jeder seiner
# Elternteile wartet auf eine Verwendung weniger.

# %% [markdown] of="4751a7"
# Wenn `waiting[parent]` auf 0 gefallen ist, und nicht vorher, kommt der Elternteil auf die Liste `ready`.

# %% [markdown] of="0121e1"
# ### Aufgabe: die Maschine
#
# Jetzt kommt alles zusammen. Schreibe `backward(root)`: Es setzt `root.grad` auf 1 und füllt `.grad` in allem aus, woraus
# `root` gemacht wurde. Jeder Wert spricht einmal, in der richtigen Reihenfolge, und Gradienten addieren sich.

# %% [markdown] of="12968a"
# Gehe `topological_order(root)` durch. Tue für jeden Wert, was `hasty` für seine Eltern tut, aber rufe dich nicht selbst
# auf.

# %% [markdown] of="d2c593"
# `parent.grad += value.grad * slope`. Mit `=` statt `+=` würde die zweite Verwendung die erste auslöschen.

# %% [markdown] of="ebce15"
# Wie lange braucht deine Maschine für die 20.000 Operationen?

# %% [markdown] of="81f14b"
# ## Sie addieren sich auch über die Zeit
#
# minigrad addiert zu `.grad`, wie deine Maschine es tut, mit `+=`. Es fragt nicht, ob das, was dort steht, alt ist. Also
# addiert ein zweites backward zum ersten:

# %% [markdown] of="ef2fdb"
# Das ist Absicht. Lektion 6 benutzt es, um einen großen Stapel in kleine zu teilen. Aber es ist auch der häufigste Fehler
# von allen: Wer ein Netz trainiert und vergisst, die Gradienten zu löschen, folgt einer Mischung aus allen alten. Die
# letzte Zeile löscht einen.
#
# ## Sieh zu, wie minigrad es macht
#
# Die Maschine von minigrad arbeitet wie deine: Ein Durchgang zählt, der andere führt eine Liste dessen, was bereit ist.

# %% [markdown] of="ade5d0"
# Sieh dir ihren Graphen an. Drücke auf der Seite der Lektion oben **Hier zeigen**, und der Graph steht
# neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 2` in ein Terminal: Der Browser öffnet
# sich beim neuesten Schritt, und das ist dieser:
#
# 1. Zwei Kanten führen von `a` zum ersten **Add**, und zwei von dort zum zweiten. Keine davon darf weggelassen werden.
# 2. Drücke **home**, dann **→**, bis Gradienten erscheinen. Während backward läuft, zeigt das Kästchen in der Ecke des
#    Graphen die Maschine: welcher Knoten *läuft*, welche *bereit* sind und welche noch *warten*, mit einer Zahl wie 1/2:
#    Einer von zwei Gradienten ist gekommen.
# 3. Klicke auf das erste **Add**. Das Feld rechts listet auf, was dort ankam, Zeile für Zeile, mit einem Pluszeichen und
#    der Summe.
# 4. Klicke auf `a`. Auch sein **.grad** ist eine Summe.
#
# ## Zusammenfassung
#
# - Wo ein Wert mehr als einmal benutzt wird, addieren sich seine Gradienten. `a + a` benutzt `a` zweimal.
# - Ein Wert darf seinen Gradienten erst weitergeben, wenn er ganz angekommen ist. Sonst ist das Ergebnis falsch, oder die
#   Arbeit verdoppelt sich mit jeder Operation.
# - Eine topologische Ordnung hält dieses Versprechen: Zähle die Verwendungen, und gehe mit dem weiter, was auf niemanden
#   wartet.
# - Graphen sind tief, also benutzt eine Maschine Schleifen, keine Rekursion.
# - Zu `.grad` wird addiert, es wird nie ersetzt. Lösche es selbst.
#
# ## Zwei offene Fragen
#
# 1. Deine Liste `ready` enthält oft mehrere Werte. Kommt es darauf an, welcher von ihnen zuerst spricht? Probiere
#    `ready.pop(0)`, und denke ans Runden: Ist (a + b) + c immer dieselbe Zahl wie a + (b + c)?
# 2. Angenommen, du willst nur den Gradienten eines einzigen Wertes tief im Graphen. Welche der anderen müssen gar nicht
#    sprechen?

# %% [markdown] tags=["wrong"] id="two-ways" of="683e7d"
# `x` erreicht `y` auf zwei Wegen, und du hast nur den durch das Produkt genommen.

# %% [markdown] tags=["wrong"] id="two-ways" of="26d808"
# In `w * x - x` wird `x` abgezogen: Auf dem direkten Weg ist der Gradient `-grad`.

# %% [markdown] tags=["wrong"] id="two-ways" of="2cfd27"
# Du lässt `grad` weg, den Gradienten, der ankam.

# %% [markdown] tags=["wrong"] id="two-ways" of="aa2b67"
# Die beiden Gradienten sind vertauscht: zuerst der von `w`, dann der von `x`.

# %% [markdown] tags=["wrong"] id="two-ways" of="6e31b4"
# Der direkte Weg schickt `-grad`, wie groß `x` auch ist. Du hast es mit `x` multipliziert.

# %% [markdown] tags=["wrong"] id="uses" of="3a64bf"
# Ein Wert, der beide Eltern einer Operation ist, wird zweimal benutzt. Du zählst ihn einmal.

# %% [markdown] tags=["wrong"] id="uses" of="f3f7e3"
# Du setzt jede Anzahl auf 1. Zähle jede Verwendung: `counts[parent] += 1`.

# %% [markdown] tags=["wrong"] id="uses" of="0b920d"
# Auf dem Weg zu `root` benutzt niemand `root` selbst. Es beginnt mit 0.

# %% [markdown] tags=["wrong"] id="uses" of="fa0b38"
# Du siehst dir nur die Eltern von `root` an. Gehe weiter zu deren Eltern, bis die Liste leer ist.

# %% [markdown] tags=["wrong"] id="uses" of="bc7ecf"
# Ein Wert kommt bei jeder Verwendung auf deine Liste, also zählst du seine Eltern immer wieder. Setze ihn nur einmal
# darauf.

# %% [markdown] tags=["wrong"] id="uses" of="358bd8"
# Deine Funktion ruft sich selbst auf, und nach etwa tausend Aufrufen gibt Python auf. Benutze die Liste.

# %% [markdown] tags=["wrong"] id="uses" of="22ef8d"
# Die Eltern sind Paare: ein Wert und die Steigung seines Schrittes. Nimm sie auseinander: `for parent, slope in
# value.parents`.

# %% [markdown] tags=["wrong"] id="order" of="780527"
# Ein Wert spricht, sobald du auf ihn triffst, und nicht erst, wenn alle gesprochen haben, die ihn benutzen. Warte, bis
# seine Anzahl 0 ist.

# %% [markdown] tags=["wrong"] id="order" of="4e4b97"
# Du gehst zuerst jeden ersten Elternteil ganz hinab und dann erst zu den anderen: So steht ein Wert vor einem, der ihn
# benutzt. Zähle stattdessen.

# %% [markdown] tags=["wrong"] id="order" of="441747"
# Deine Reihenfolge beginnt mit den Blättern. Drehe sie um: `root` kommt zuerst.

# %% [markdown] tags=["wrong"] id="order" of="e84168"
# Ein Wert kommt mit jeder Verwendung noch einmal in die Reihenfolge. Setze einen Elternteil erst auf `ready`, wenn
# seine Anzahl 0 ist.

# %% [markdown] tags=["wrong"] id="order" of="8c541c"
# Die Reihenfolge stimmt, aber deine Funktion ruft sich selbst auf. Dafür ist eine Kette von 20.000 zu tief.

# %% [markdown] tags=["wrong"] id="order" of="755c5f"
# `root` selbst fehlt: Es spricht zuerst.

# %% [markdown] tags=["wrong"] id="backward" of="9de66a"
# Mit `=` löscht die zweite Verwendung die erste aus. Gradienten addieren sich: `+=`.

# %% [markdown] tags=["wrong"] id="backward" of="16659c"
# Das ist der eilige Weg: Ein Wert reicht seinen Gradienten weiter, bevor er ganz angekommen ist.

# %% [markdown] tags=["wrong"] id="backward" of="dc7119"
# Du multiplizierst mit der Steigung, aber nicht mit dem Gradienten des Wertes: Steigungen entlang einer Kette
# multiplizieren sich.

# %% [markdown] tags=["wrong"] id="backward" of="149570"
# Du reichst den Gradienten weiter, ohne die Steigung entlang des Schrittes.

# %% [markdown] tags=["wrong"] id="backward" of="3e31c6"
# Du gehst von den Blättern zur Wurzel, also ist noch nichts angekommen, wenn ein Wert spricht.

# %% [markdown] tags=["wrong"] id="backward" of="d15937"
# Ein Wert, der beide Eltern einer Operation ist, bekommt seinen Gradienten nur einmal. Beide Verwendungen zählen.

# %% [markdown] tags=["wrong"] id="backward" of="de5639"
# Du gehst jeden Weg für sich, mit einer Funktion, die sich selbst aufruft. Gehe `topological_order(root)` durch.

# %% [markdown] tags=["check"] id="uses" of="c0ba05"
# `uses` für den letzten Wert von {kind}, mit den Namen der Werte als Schlüsseln

# %% [markdown] tags=["check"] id="uses" of="b693cb"
# die Summe aller Anzahlen in `uses` für einen Wert, der {height}-mal verdoppelt wurde

# %% [markdown] tags=["check"] id="uses" of="5fc06d"
# die Summe aller Anzahlen in `uses` für das Ende einer Kette aus {length} Summen `end + one`

# %% [markdown] tags=["check"] id="order" of="b3eb9a"
# die Namen in `topological_order` für den letzten Wert von {program}

# %% [markdown] tags=["check"] id="order" of="549b10"
# {missing} fehlt

# %% [markdown] tags=["check"] id="order" of="aa9212"
# das ist keine Liste

# %% [markdown] tags=["check"] id="order" of="740741"
# {twice} steht zweimal darin

# %% [markdown] tags=["check"] id="order" of="3079e7"
# sie ist leer

# %% [markdown] tags=["check"] id="order" of="c7e27c"
# {parent} steht vor {name}, das es benutzt

# %% [markdown] tags=["check"] id="order" of="6e4b1b"
# jeder Wert einmal, und nach allen, die ihn benutzen

# %% [markdown] tags=["check"] id="order" of="807ab5"
# wie viele Werte in `topological_order` stehen, für einen Wert, der {height}-mal verdoppelt wurde

# %% [markdown] tags=["check"] id="order" of="af1a50"
# wie viele Werte in `topological_order` stehen, für das Ende einer Kette aus {length} Summen

# %% [markdown] tags=["check"] id="backward" of="875828"
# `a.grad` nach `backward(c)`, wobei b = a + a und c = b + b

# %% [markdown] tags=["check"] id="backward" of="61a94e"
# die Gradienten von x und y nach `backward(t)`, wobei p = x * y und t = p + x, bei x = {x}, y = {y}

# %% [markdown] tags=["check"] id="backward" of="96e7c6"
# die Gradienten von a, b, d und c nach `backward(c)`, wobei d = a * b und c = a + d, bei a = {x}, b = {y}

# %% [markdown] tags=["check"] id="backward" of="bf41dd"
# der Gradient eines Wertes, der {height}-mal verdoppelt wurde

# %% [markdown] tags=["check"] id="backward" of="98e344"
# die Gradienten des ersten Wertes und von `one`, nach einer Kette aus {length} Summen `end + one`

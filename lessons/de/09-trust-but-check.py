# ---
# title: Vertraue, aber prüfe
# goal: Einen falschen Gradienten durch Messen finden, mit Hooks in backward hineinsehen und ein NaN bis zu seiner Zeile verfolgen.
# explorer: Drücke n: Es führt dorthin, wo das erste Unendlich oder NaN erscheint, und zu seiner Zeile. Von dort an ist alles rot.
# ---

# %% [markdown] of="72387c"
# # Vertraue, aber prüfe
#
# Dem Ergebnis eines Programms sieht man oft an, dass es falsch ist. Einem Gradienten nicht. Das Netz lernt trotzdem, nur
# etwas schlechter, als es könnte, und niemand erfährt es je. **Wie finde ich heraus, ob ein Gradient stimmt? Und wenn
# etwas darin zu NaN wird, wo hat das angefangen?**
#
# Ein Schub von 10 hoch `p`, und wie falsch die gemessene Steigung des Sinus dann ist. Wo ist er am besten?
#
# ```figure
# p = -5 from -15 to -1
# push = 10 ** p
# tried = (sin(1 + push) - sin(1 - push)) / (2 * push)
# wrong = abs(tried - cos(1)) + 1e-17
# digits = -log(wrong) / log(10)
# show Schub = push
# show Steigung durch Probieren = tried
# show Stellen, die stimmen = digits
# ```
#
# Am Ende dieser Lektion kannst du
#
# - eine Prüfung von Gradienten schreiben und sagen, wie weit man ihr trauen darf,
# - Punkte wählen, an denen eine Prüfung den Fehler findet und keinen falschen Alarm gibt,
# - Gradienten unterwegs ansehen, sie dort ändern und das erste NaN finden.
#
# Du brauchst Lektion 1, wo du eine Steigung gemessen hast, und Lektion 8.

# %% [markdown] of="acf920"
# ## Wie klein darf der Schub sein?
#
# Um eine Steigung zu messen, schiebe die Eingabe nach beiden Seiten und teile. In Lektion 1 hast du gesehen, wie der
# Fehler mit kleinerem Schub fällt und dann steigt. Jetzt wollen wir wissen, *warum*, denn jede Prüfung beruht darauf. Nimm
# `exp` bei 0,7:

# %% [markdown] of="fee7dc"
# Zwei Fehler sind am Werk, und sie ziehen in entgegengesetzte Richtungen.
#
# - Die Steigung ändert sich unterwegs. Dieser Fehler fällt mit dem *Quadrat* des Schubs.
# - Zahlen werden gerundet. Ein float64 behält 16 Stellen, also ist die Differenz in der 16. falsch, und das Teilen durch
#   einen kleinen Schub macht das groß. Dieser Fehler *steigt*, wenn der Schub fällt.
#
# In float64 treffen sie sich nahe 1e-6, und die beste Steigung hat etwa elf richtige Stellen. In float32 gibt es von
# vornherein nur sieben Stellen, und die beste Steigung hat etwa vier.

# %% [markdown] of="ce93cf"
# Der Schub fällt von 0,1 auf 0,001, auf ein Hundertstel. Wievielmal so klein wird der Fehler von float64?
#
# ---
# Etwa **10.000**-mal, das Quadrat von 100. (Nicht genau, denn es gibt noch kleinere Terme.)

# %% [markdown] of="797969"
# Deshalb schiebt `gradcheck` um 1e-6 und verlangt float64. Es warnt dich, wenn es etwas anderes bekommt.
#
# ### Aufgabe: einen Gradienten messen
#
# Schreibe `measured_gradient(function, x, push)`. `function` nimmt einen Tensor und gibt eine Zahl zurück, als Tensor.
# Deine Funktion gibt den Gradienten bei `x` zurück, gemessen: Sie schiebt ein Element nach dem anderen nach beiden Seiten
# und lässt die übrigen in Ruhe. `x` selbst muss am Ende sein, wie es war. Es kommt flach, mit einer Dimension.

# %% [markdown] of="c407b1"
# Mache für jede Seite eine Kopie von `x`: `right = x.clone()`. Dann ändert `right[i] += push` ein Element der Kopie.

# %% [markdown] of="bc9196"
# `gradient[i] = (function(right) - function(left)) / (2 * push)`, mit `left`, das ebenso gemacht ist.

# %% [markdown] of="2e55eb"
# Das ist das Herz von `gradcheck`. Der Rest ist Sorgfalt: Es nimmt Funktionen mit vielen Eingaben und Ausgaben, sagt dir,
# *welches* Element am weitesten danebenliegt, und sucht die Operation, die schuld ist.
#
# ## Wohin man sehen muss
#
# Eine Prüfung sieht auf einen Punkt. Was sie nicht ansieht, kann sie nicht finden. Hier ist eine Operation, die unter 0
# ein wenig durchlässt, ein Zehntel. Ihrem Autor ist etwas durchgerutscht:

# %% [markdown] of="24b575"
# Sie besteht an drei Punkten, alle über 0. Also: **Sieh auf beide Seiten jedes Knicks.** Aber nicht *auf* den Knick. Relu
# ist richtig, und doch:

# %% [markdown] of="641730"
# Bei 0 sieht der Schub nach rechts eine Steigung von 1, der nach links sieht 0, und die gemessene Steigung ist 0,5. An
# einem Knick gibt es keine richtige Steigung. minigrad sagt 0, nach Übereinkunft. Das war ein falscher Alarm.
#
# ### Aufgabe: die falsche von fünf
#
# Hier sind fünf Operationen. Jede ist vorwärts richtig, und eine davon ist rückwärts falsch. Schreibe `wrong_ones(ops)`.
# Es nimmt ein Wörterbuch mit Operationen nach Namen und gibt die Liste der Namen derer zurück, die bei `gradcheck`
# durchfallen. Die Punkte wählst du. Sie müssen für Operationen gut sein, die ihre Knicke bei -1, bei 0 oder bei 1 haben
# und die nur *irgendwo* zwischen -3 und 3 falsch sind.

# %% [markdown] of="b8e27e"
# `passes(op, points)` ist True oder False. Gib die Namen zurück, für die es False ist.

# %% [markdown] of="a32da3"
# Die Knicke schneiden die Linie in vier Stücke: unter -1, von -1 bis 0, von 0 bis 1, über 1. Du brauchst einen Punkt in
# jedem, und keinen auf -1, 0 oder 1.

# %% [markdown] of="0e2c18"
# Da ist sie. Ihre Steigung vergisst die linke Seite: Sie müsste nach `x.abs() > 1` fragen. Um mehr zu erfahren, lass
# gradcheck seinen Fehler werfen. Die letzten Zeilen sind für Menschen geschrieben:

# %% [markdown] of="9ea801"
# ## Hooks: ein Blick auf das, was vorbeikommt
#
# `.grad` wird nur für Blätter behalten. Und die Gradienten unterwegs? Ein **Hook** ist eine Funktion von dir, die mit dem
# Gradienten aufgerufen wird, wenn er vorbeikommt. `tensor.register_hook(hook)` hängt sie dorthin. Hier hängen wir an jede
# Schicht einer Kette aus zwölf Sigmoiden einen und notieren, wie lang der Gradient ist:

# %% [markdown] of="fe4010"
# Die Balken sind logarithmisch: Der Gradient schrumpft mit jeder Schicht auf etwa ein Viertel. Die Steigung eines Sigmoids
# ist höchstens 0,25, und Steigungen entlang einer Kette multiplizieren sich. Die ersten Schichten hören so gut wie
# nichts. Das ist der *verschwindende Gradient*, und er hat tiefe Netze zwanzig Jahre lang am Lernen gehindert.
#
# ## Hooks, die etwas ändern
#
# Wenn ein Hook einen Tensor *zurückgibt*, so tritt der an die Stelle des Gradienten. Das umgekehrte Übel ist der
# explodierende Gradient: ein schlechtes Beispiel, und ein Schritt wirft das ganze Netz weg. Ein Mittel dagegen ist, ihn zu
# **kappen**: Ist der Gradient länger als eine Grenze, so mache ihn so lang wie die Grenze, in derselben Richtung.
#
# ### Aufgabe: ein Hook, der kappt
#
# Schreibe `clip(tensor, limit)`. Es hängt an `tensor` einen Hook, der kappt, und gibt zurück, was `register_hook`
# zurückgibt: einen Griff, dessen Methode `remove` den Hook wieder wegnimmt. Die Länge eines Tensors ist `grad.norm()`.

# %% [markdown] of="934b17"
# Definiere eine Funktion in der Funktion: `def shorten(grad):`. Hänge sie mit `tensor.register_hook(shorten)` auf, und gib
# zurück, was zurückkommt.

# %% [markdown] of="a3e1f7"
# Im Hook: Wenn `grad.norm()` über der Grenze ist, gib `grad * (limit / grad.norm())` zurück. Sonst gib `grad` zurück, wie
# es ist.

# %% [markdown] of="8dc43b"
# ## Das erste NaN
#
# *NaN*, keine Zahl (not a number), ist das, was 0 / 0 gibt, und unendlich mal 0. Und was ein NaN berührt, wird zu NaN. Wenn
# du es siehst, ist es also überall. Die Frage ist, wo es *anfing*.
#
# Drei Bälle sind durch Federn verbunden, die eins lang sein wollen. Zwei Bälle liegen zufällig an derselben Stelle.

# %% [markdown] of="9b8278"
# Der Verlust ist gesund. Nur backward bricht. Wer allein auf den Verlust sieht, sähe es nicht kommen, bis der nächste
# Schritt NaN in jeden Ball getan hat.
#
# `detect_anomaly` sieht sich jeden Gradienten an, sobald er gemacht ist. Beim ersten NaN hält es an und nennt die
# Operation und die Zeile, die ihn gemacht hat, in *forward*:

# %% [markdown] of="e90ad5"
# Die Zeile ist die mit der Wurzel. Die Operation, die es nennt, `PowBackward0`, ist das Quadrat unter der Wurzel (ein
# Quadrat ist eine Potenz). Lies die Zeile rückwärts. Die Steigung der Wurzel ist $1 / (2 \sqrt{x})$. Bei 0 ist das
# unendlich. Das ist noch kein NaN. Dann kommt das Quadrat von `a - b`, dessen Steigung dort 0 ist. Und unendlich mal 0 ist
# NaN.
#
# Also die 0 gesondert behandeln? Das versuchen alle zuerst:

# %% [markdown] of="63dc46"
# Bei zwei gleichen Punkten nimmt `where` die 0, und die Wurzel wird nicht benutzt. Ist der Gradient von `a` trotzdem NaN?
# Sage 1 für ja und 0 für nein.
#
# ---
# **1**: Er ist es. Die Wurzel wurde trotzdem berechnet, und `where` schickt ihr einen Gradienten: 0, da sie nicht benutzt
# wurde. Die Regel der Wurzel multipliziert das mit ihrer Steigung, unendlich. Null mal unendlich ist wieder NaN.

# %% [markdown] of="31c386"
# ### Aufgabe: bring es in Ordnung
#
# Schreibe `safe_distance(a, b)`. Es gibt den genauen Abstand, und den richtigen Gradienten, wo immer es einen gibt. Bei
# zwei gleichen Punkten ist der Abstand 0, und der Gradient ist 0, ohne ein NaN. Nirgends wird eine kleine Zahl addiert.
# Die Wurzel darf nie eine 0 *sehen*.

# %% [markdown] of="b20517"
# `where` *hinter* der Wurzel kam zu spät. Setze eines davor: Was darf die Wurzel anstelle von 0 sehen, damit ihre Steigung
# endlich ist?

# %% [markdown] of="d5f7b1"
# `harmless = mg.where(squared > 0, squared, 1.0)` geht in die Wurzel. Und hinter der Wurzel steht das `where`, das du schon
# kennst. Es braucht zwei davon.

# %% [markdown] of="58aaff"
# Merke dir das Muster. Man braucht es für den Logarithmus, für Wurzeln und für jede Division, und es heißt das *doppelte
# where*.
#
# ## Sieh minigrad dabei zu
#
# Zwei Bälle an derselben Stelle, ein Hook, der zusieht, und das erste NaN. (`look` beginnt in der Aufzeichnung des
# Explorers einen neuen Schritt, damit dieser Graph für sich steht.)

# %% [markdown] of="0a17e5"
# Sieh dir seinen Graphen an. Klicke auf der Seite der Lektion oben auf **Hier zeigen**, und der Graph
# steht neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 9` in ein Terminal: Der Browser
# öffnet sich beim neuesten Schritt, und das ist dieser:
#
# 1. Drücke **n**. Es bringt dich zu dem Augenblick und dem Knoten, wo das erste NaN oder Unendlich erscheint, und die
#    Zeile im Quelltext ist markiert. Ist es ein NaN oder ein Unendlich?
# 2. **Sqrt** sagt *inf*: Es hat es gemacht. Drücke nun immer wieder **→**. Welche Operation macht aus Unendlich NaN? Suche
#    im Feld oben nach `nan`, dann leuchtet alles davon auf.
# 3. Klicke auf das **Sub**. Unter **Hooks** steht der Hook, den du dort aufgehängt hast, und der Gradient, den er sah.
# 4. Die Zahlen neben den orangen Kanten sind die Gradienten oder ihre Längen. Folge ihnen hinauf: -2, unendlich, NaN.
#
# ## Zusammenfassung
#
# - Gemessene Steigungen haben zwei Fehler. Mit einem Schub von 1e-6 und float64 sind beide klein.
# - Eine Prüfung sieht nur die Punkte, die man ihr gibt: auf beiden Seiten jedes Knicks, und nie darauf.
# - Ein Hook sieht einen Gradienten unterwegs, und was er zurückgibt, tritt an dessen Stelle.
# - Ein NaN breitet sich aus. `detect_anomaly` nennt die Operation und die Zeile, wo es anfing.
# - 0 mal unendlich ist NaN. Halte die 0 von der Wurzel fern, nicht nur von ihrem Ergebnis.
#
# ## Zwei offene Fragen
#
# 1. Ein Netz hat eine Million Eingaben. Wie könntest du seinen Gradienten mit zwei Läufen prüfen, entlang *einer*
#    Richtung? Was kann einer solchen Prüfung entgehen, und wie wahrscheinlich ist das?
# 2. `clip` kürzt jeden Gradienten für sich. Optimierer kürzen oft *alle* um denselben Faktor. Was ist der Unterschied, und
#    wann kommt es darauf an? (`nn.utils.clip_grad_norm_` tut das Zweite.)

# %% [markdown] tags=["wrong"] id="measured" of="9119de"
# Du schiebst alle Elemente zugleich. Schiebe eines nach dem anderen: `right[i] += push`.

# %% [markdown] tags=["wrong"] id="measured" of="53068a"
# Die beiden Seiten liegen `2 * push` auseinander, und du teilst durch `push`.

# %% [markdown] tags=["wrong"] id="measured" of="9a02ba"
# Du schiebst nur nach rechts. Schiebe nach beiden Seiten, und der größte Teil des Fehlers hebt sich auf.

# %% [markdown] tags=["wrong"] id="measured" of="b6ab0c"
# Rechts und links sind vertauscht, also ist das Vorzeichen falsch herum.

# %% [markdown] tags=["wrong"] id="measured" of="8cf05a"
# `right = x` ist keine Kopie: Der Schub bleibt in `x`. Nimm `x.clone()`.

# %% [markdown] tags=["wrong"] id="measured" of="d1f164"
# Du schiebst um eine Zahl, die du selbst gewählt hast. Benutze das `push`, das dir übergeben wird.

# %% [markdown] tags=["wrong"] id="wrong-ones" of="91983d"
# Du nennst die richtigen.

# %% [markdown] tags=["wrong"] id="wrong-ones" of="774cf2"
# Du siehst nur auf positive Punkte. Was links falsch ist, wird nicht gefunden.

# %% [markdown] tags=["wrong"] id="wrong-ones" of="7a7a66"
# Keiner deiner Punkte liegt zwischen -1 und 0.

# %% [markdown] tags=["wrong"] id="wrong-ones" of="d9db4c"
# Keiner deiner Punkte liegt unter -1 oder über 1.

# %% [markdown] tags=["wrong"] id="wrong-ones" of="0f9575"
# Einer deiner Punkte liegt auf einem Knick, -1, 0 oder 1. Dort fällt auch eine richtige Operation durch: Das ist ein
# falscher Alarm.

# %% [markdown] tags=["wrong"] id="wrong-ones" of="d6798d"
# Du hörst bei der ersten auf. Nenne alle, die durchfallen.

# %% [markdown] tags=["wrong"] id="clip" of="e19578"
# Der Hook gibt nichts zurück, wo er kappen soll: Was er zurückgibt, tritt an die Stelle des Gradienten.

# %% [markdown] tags=["wrong"] id="clip" of="fb1bfe"
# Du machst jeden Gradienten so lang wie die Grenze, auch kurze.

# %% [markdown] tags=["wrong"] id="clip" of="cb40f0"
# Du schneidest jedes Element für sich ab, also ändert sich die Richtung. Kürze alles um denselben Faktor.

# %% [markdown] tags=["wrong"] id="clip" of="a85bd7"
# Gib den Griff zurück, den `register_hook` zurückgibt: Mit ihm lässt sich der Hook wieder wegnehmen.

# %% [markdown] tags=["wrong"] id="clip" of="8cf8a0"
# Die Länge wird 1, nicht die Grenze: `limit / length`.

# %% [markdown] tags=["wrong"] id="clip" of="20dd3c"
# Du vergleichst das Quadrat der Länge. Die Länge ist `grad.norm()`.

# %% [markdown] tags=["wrong"] id="safe" of="5affad"
# Die Wurzel sieht immer noch die 0, wo ihre Steigung unendlich ist. Ein `where` dahinter kommt zu spät: Setze eines
# davor.

# %% [markdown] tags=["wrong"] id="safe" of="8ea977"
# Eine kleine Zahl unter der Wurzel ändert den Abstand. Es darf nichts addiert werden.

# %% [markdown] tags=["wrong"] id="safe" of="453c68"
# Die Wurzel ist jetzt sicher, aber bei gleichen Punkten ist dein Abstand 1. Dahinter muss ein zweites `where` stehen.

# %% [markdown] tags=["wrong"] id="safe" of="c0798e"
# Für gleiche Punkte nimmt `if` die Konstante 0, und von dort kann niemand zurückgehen.

# %% [markdown] tags=["wrong"] id="safe" of="25c101"
# Das ist das Quadrat des Abstands. Ziehe die Wurzel.

# %% [markdown] tags=["wrong"] id="measured" of="fe7b23"
# Python teilt durch 2 und multipliziert dann mit `push`. Setze Klammern: `/ (2 * push)`.

# %% [markdown] tags=["wrong"] id="measured" of="61fa28"
# Das `return` steht in der Schleife, also wird nur das erste Element gemessen.

# %% [markdown] tags=["wrong"] id="measured" of="84084b"
# `right = x` ist ein anderer Name, keine Kopie: Beide Schübe bewegen `x` selbst. Nimm `x.clone()`.

# %% [markdown] tags=["wrong"] id="wrong-ones" of="e3be1e"
# Du gibst die Operationen selbst zurück. Gefragt sind ihre Namen.

# %% [markdown] tags=["wrong"] id="clip" of="a3de36"
# Wenn `clip` aufgerufen wird, gibt es noch keinen Gradienten. Setze das in eine Funktion, und hänge sie mit
# `register_hook` auf.

# %% [markdown] tags=["wrong"] id="clip" of="81d328"
# Das ist die Summe der Elemente. Die Länge ist `grad.norm()`.

# %% [markdown] tags=["check"] id="measured" of="a44999"
# x nach `measured_gradient(function, x, 0.5)`, für x = [1, 2, 5]

# %% [markdown] tags=["check"] id="wrong-ones" of="a3865d"
# `wrong_ones` für vier Operationen 2 * x, deren Steigung 3 ist, wo der Name es sagt: {pieces}

# %% [markdown] tags=["check"] id="wrong-ones" of="dd9bb3"
# `wrong_ones` für Operationen von minigrad selbst, die alle richtig sind

# %% [markdown] tags=["check"] id="clip" of="dc316f"
# der Gradient von w, dessen Steigungen {slopes} sind, nach `clip(w, {limit})`; der Hook entfernt: {remove}

# %% [markdown] tags=["check"] id="clip" of="fab7a2"
# der Gradient von w, wenn `clip(middle, 5.0)` an middle = 2 * w hängt, wo [30, 40] ankommt

# %% [markdown] tags=["check"] id="safe" of="08b66a"
# `safe_distance(a, b)` und der Gradient von a, für a = {a} und b = {b}

# %% [markdown] tags=["check"] id="safe" of="b65767"
# die Knoten, die auf dem Rückweg von `safe_distance(a, b)` ein NaN geben, für a = {a} und b = {b}

# ---
# title: Eine Zahl, eine Steigung
# goal: Die Steigung eines Programms finden, Rechenschritt für Rechenschritt, und sie prüfen.
# explorer: Werte wandern blau nach unten, Gradienten orange zurück nach oben; Tanh zeigt seine Regel mit deinen Zahlen darin.
# ---

# %% [markdown] of="6aa276"
# # Eine Zahl, eine Steigung
#
# Ein Programm nimmt eine Zahl und gibt eine andere zurück. **Wenn ich die Eingabe ein wenig vergrößere, steigt oder
# fällt dann das Ergebnis, und wie schnell?**
#
# Ziehe an `w` und vergleiche: die Steigung durch Probieren und die Steigung, die du in dieser Lektion auszurechnen
# lernst.
#
# ```figure
# w = 2 from -1 to 4
# product = w * 3
# total = product - 5
# y = tanh(total)
# show Steigung durch Probieren, 0,01 nach beiden Seiten = measured
# show Steigung durch die Regel jeder Operation = slope
# ```
#
# Die Antwort ist eine einzige Zahl, die *Steigung*. Alles, was mit Gradienten lernt, baut auf ihr auf: Um den Fehler
# eines Netzes zu verkleinern, muss man wissen, in welche Richtung sich jede seiner Zahlen bewegen soll.
#
# Am Ende dieser Lektion kannst du
#
# - eine Steigung durch Probieren messen,
# - dieselbe Steigung genau berechnen, indem du das Programm rückwärts durchgehst,
# - lesen, was minigrad dir zeigt, während es dasselbe tut.
#
# Du brauchst die Funktionen von Python und ein wenig Schulalgebra. Keine Analysis: Die zwei Regeln, die du brauchst,
# sind angegeben.

# %% [markdown] of="7d2e9b"
# ## Probiere es
#
# Hier ist das Programm, ein einzelnes künstliches Neuron. Es multipliziert sein Gewicht `w` mit 3 und zieht 5 ab. Dann
# staucht es das, was übrig bleibt, mit tanh in den Bereich von -1 bis 1.

# %% [markdown] of="a6ed65"
# Wir haben `w` um 0,001 vergrößert, und das Ergebnis wuchs um etwa 0,00126. Es wuchs 1,26-mal so viel, wie wir
# geschoben haben. Die Steigung dieses Programms bei `w = 2` ist also etwa 1,26.
#
# Mehr ist eine Steigung nicht: **wie weit sich das Ergebnis bewegt, für jede Einheit, um die sich die Eingabe bewegt**,
# wenn sie sich nur ein wenig bewegt.
#
# Nur nach einer Seite zu schieben hat einen Fehler: Die Steigung ändert sich unterwegs. Schiebe nach *beiden* Seiten um
# gleich viel, und der größte Teil dieses Fehlers hebt sich auf. Die Steigung ist dann die Änderung des Ergebnisses,
# geteilt durch die ganze Breite, `2 * push`.
#
# ### Aufgabe: eine Steigung messen
#
# Schreibe `slope(function, x, push)`: Rufe `function` ein wenig rechts von `x` und ein wenig links davon auf, und
# teile.

# %% [markdown] of="986cc3"
# Rufe sie zweimal auf: `function(x + push)` und `function(x - push)`. Was ist die Differenz der beiden Ergebnisse?

# %% [markdown] of="778dd7"
# Die beiden Stellen liegen `2 * push` auseinander, also wird die Differenz durch `2 * push` geteilt. Achte auf die
# Klammern: `a / 2 * push` ist `(a / 2) * push`.

# %% [markdown] of="a54fef"
# Dann müssten kleinere Schübe besser sein? Sieh her:

# %% [markdown] of="2eafce"
# Der Fehler fällt zuerst, und dann *steigt* er wieder. Bei einem Schub von 1e-15 sind die beiden Ergebnisse fast
# dieselbe Zahl. Ein Computer behält von jeder etwa 16 Stellen; die Differenz zweier fast gleicher Zahlen hat davon nur
# noch die letzten paar.
#
# Das Messen hat einen zweiten Fehler, der schwerer wiegt. Es lässt das ganze Programm für *jede* Eingabe zweimal laufen.
# Ein Netz mit einer Million Gewichten müsste zwei Millionen Mal laufen, um ein einziges Mal zu erfahren, wohin es gehen
# soll.
#
# Also messen wir weiter, wo das Messen gut ist, nämlich zum Prüfen, und suchen nach einem besseren Weg.
#
# ## Steigungen multiplizieren sich
#
# Sieh noch einmal in das Neuron hinein. Es macht drei kleine Schritte, und jeden davon nennen wir eine *Operation*:
#
# | Operation | was sie tut | Wert bei `w = 2` |
# | --- | --- | --- |
# | multiplizieren | `product = w * 3` | 6 |
# | subtrahieren | `total = product - 5` | 1 |
# | tanh | `result = tanh(total)` | 0,7616 |
#
# Denke an drei Zahnräder hintereinander. Wenn sich das zweite 3-mal so schnell dreht wie das erste und das dritte
# 0,42-mal so schnell wie das zweite, dann dreht sich das dritte 3 × 0,42 = 1,26-mal so schnell wie das erste.
# **Steigungen entlang einer Kette multiplizieren sich.** Das heißt *Kettenregel*, und der ganze Kurs ruht auf ihr.
#
# Hier hat die Multiplikation die Steigung 3. Die Subtraktion hat die Steigung 1: Sie verschiebt eine Zahl, und eine
# verschobene Zahl bewegt sich so schnell wie vorher. Und tanh hat bei 1 die Steigung 0,42:

# %% [markdown] of="ebd23c"
# ## Rückwärts gehen
#
# Wir könnten von vorn multiplizieren oder von hinten. Von hinten ist besser, sobald ein Programm mehr Eingaben als
# Ergebnisse hat; warum, wirst du am Ende dieser Lektion sehen.
#
# Rückwärts tragen wir eine Zahl mit uns. An jeder Stelle beantwortet sie dieselbe Frage:
#
# > Wenn sich der Wert *hier* ein wenig bewegte, wie schnell würde sich das Endergebnis bewegen?
#
# Diese Zahl heißt der **Gradient** dieses Wertes. Den Gradienten von `y` schreiben wir $\bar y$ (sprich „y quer“). Ganz
# am Ende ist er 1, denn das Ergebnis bewegt sich genau so schnell wie es selbst.
#
# Jede Operation braucht eine Regel: *Gegeben der Gradient meines Ergebnisses, was sind die Gradienten meiner Eingaben?*
# Es ist immer der Gradient, der ankam, mal die eigene Steigung der Operation. Die Operation muss nicht wissen, was nach
# ihr kommt. Die Zahl, die ankommt, sagt darüber schon alles.
#
# ### Aufgabe: die Regel der Multiplikation
#
# Für $y = a \cdot b$: Bewegt sich `a` um 1, so bewegt sich `y` um `b`. Also ist die Steigung für `a` gleich `b`. Und
# für `b`?
#
# Schreibe `mul_backward(a, b, grad)`. Dabei ist `grad` der Gradient $\bar y$, der ankam. Gib ein Paar zurück: den
# Gradienten von `a` und den Gradienten von `b`.

# %% [markdown] of="fe1ba6"
# Probiere Zahlen. 2 · 10 = 20, und 3 · 10 = 30. Der erste Faktor hat sich um 1 bewegt; wie weit hat sich das Produkt
# bewegt?

# %% [markdown] of="d8f6e4"
# Die Steigung für jede Eingabe ist die *andere* Eingabe. Multipliziere jede mit `grad`, und gib beide zurück, mit einem
# Komma dazwischen.

# %% [markdown] of="305bbe"
# ### Aufgabe: die Regel von tanh
#
# Die Steigung von $y = \tanh x$ ist $1 - y^2$. Sie ist 1 in der Mitte, wo tanh am steilsten ist, und fast 0 weit
# draußen, wo tanh flach ist.
#
# Beachte, dass die Regel nach dem *Ergebnis* `y` fragt und nicht nach `x`. Das Ergebnis wurde auf dem Hinweg berechnet,
# also muss nichts zweimal berechnet werden. Schreibe `tanh_backward(y, grad)`; es gibt den Gradienten von `x` zurück.

# %% [markdown] of="09841d"
# Der Gradient, der ankam, mal die eigene Steigung der Operation. Die Steigung steht im Text.

# %% [markdown] of="e42414"
# In der Antwort kommt kein tanh vor: `y` ist schon ein tanh.

# %% [markdown] of="7f5ccd"
# ### Aufgabe: das ganze Neuron, rückwärts
#
# Jetzt hat das Neuron drei Eingaben: $y = \tanh(w \cdot x + b)$. Gehe vom Ende zurück, wo der Gradient 1 ist, und gib
# die Gradienten von `w`, `x` und `b` zurück. Benutze die beiden Regeln, die du geschrieben hast.
#
# Die Summe reicht ihren Gradienten unverändert weiter, an beide Eingaben: Welche von ihnen sich auch bewegt, die Summe
# bewegt sich ebenso weit.

# %% [markdown] of="7ee3f6"
# Die letzte Operation kommt zuerst: `grad_total = tanh_backward(y, grad_y)`.

# %% [markdown] of="c77443"
# Die Summe hat zwei Eingaben, `product` und `b`. Beide bekommen `grad_total`. Frage dann `mul_backward` nach den
# Gradienten von `w` und `x`.

# %% [markdown] of="31e61c"
# Du bist das Programm einmal durchgegangen, rückwärts, und mit *drei* Steigungen heimgekommen. Messen hätte es sechsmal
# laufen lassen. Bei einer Million Eingaben ist es immer noch ein einziger Gang zurück. Deshalb beginnen wir am Ende.
#
# ## Sieh zu, wie minigrad es macht
#
# minigrad tut, was du gerade getan hast. Während dein Programm vorwärts läuft, schreibt es auf, welche Operation welchen
# Wert gemacht hat. Bei `backward()` geht es seine Notizen zurück, fragt jede Operation nach ihrer Regel und legt den
# Gradienten jeder Eingabe in `.grad` ab.

# %% [markdown] of="093112"
# Bei `w = 2`, `x = 3`, `b = -5` ist die Steigung von tanh 0,42, und so ist der Gradient von `w` gleich 0,42 · 3 = 1,26.
# Wie groß ist der Gradient von `x`, auf zwei Stellen?
#
# ---
# **0,84**. Die Steigung für `x` ist der andere Faktor, `w`, und 0,42 · 2 = 0,84.

# %% [markdown] of="48c4f7"
# Sieh zu, wie es geschieht. Auf der Seite der Lektion steht der Graph neben dem Text, sobald die Zelle oben gelaufen
# ist. In einem Notebook oder einem Editor tippe `minigrad lesson run 1` in ein Terminal: Der Browser zeigt ihn.
#
# 1. Drücke **home**, dann immer wieder **→**. Werte erscheinen blau von oben nach unten: vorwärts. Dann erscheinen
#    Gradienten orange von unten nach oben: rückwärts. Der erste von ihnen ist die 1 am Ende.
# 2. Klicke auf **Tanh**. Das Feld rechts zeigt seine Formel und seine Regel, $\bar x = \bar y \odot (1 - y^2)$, mit den
#    Zahlen dieses Laufs darin. (Das Zeichen $\odot$ heißt: multipliziere Element für Element. Hier gibt es ein
#    Element.)
# 3. Klicke auf **Mul**. Es hat zwei Gradienten geschickt, einen an `w` und einen an `x`. Der Wert welcher Eingabe steht
#    in welcher Regel?
# 4. Suche die violetten Marken: Eine Operation hat *aufbewahrt*, wonach ihre Regel fragen wird. Tanh hat sein Ergebnis
#    aufbewahrt, wie deines danach fragte. Mul hat beide Eingaben aufbewahrt. Add hat nichts aufbewahrt; siehst du,
#    warum?
#
# ## Wozu eine Steigung gut ist
#
# Die Steigung sagt, dass das Ergebnis wächst, wenn `w` wächst. Mache das Ergebnis also kleiner: Bewege `w` ein wenig
# *gegen* seine Steigung.

# %% [markdown] of="72c313"
# Wir bewegen `w` um 0,1-mal seine Steigung nach links. Die Steigung ist 1,26, und das Ergebnis ist jetzt 0,76. Wie groß
# wird es ungefähr sein?
#
# ---
# **0,55**. Der Schritt ist 0,126, und 1,26-mal das ist 0,16; vielleicht hast du also 0,60 gesagt. Es fiel etwas weiter,
# weil die Steigung unterwegs wächst: tanh ist näher an seiner Mitte steiler. Eine Steigung ist ein Versprechen für
# *kleine* Schritte.

# %% [markdown] of="3e1f19"
# Ein Programm, das dies viele Male tut, *lernt*. Das ist Lektion 6.
#
# ## Zusammenfassung
#
# - Eine Steigung sagt, wie schnell sich das Ergebnis bewegt, wenn sich eine Eingabe ein wenig bewegt.
# - Messen kostet zwei Läufe für jede Eingabe und verliert Stellen. Zum Prüfen ist es das richtige Werkzeug.
# - Steigungen entlang einer Kette multiplizieren sich.
# - Rückwärts tragen wir den Gradienten mit: wie schnell sich das *Endergebnis* mit dem Wert hier bewegt. Er beginnt mit 1.
# - Jede Operation hat eine Regel: der Gradient, der ankam, mal ihre eigene Steigung. Von den Operationen um sich herum
#   weiß sie nichts.
#
# ## Zwei offene Fragen
#
# 1. Setze `b` auf 5 statt auf -5. Die Summe ist dann 11, und dort ist tanh flach. Wie groß sind die drei Gradienten
#    jetzt, und was würde ein Netz aus ihnen lernen?
# 2. Wir sind vom Ende zum Anfang gegangen. Man könnte auch vom Anfang zum Ende gehen und mittragen: „Wie schnell bewegt
#    sich der Wert hier mit `w`?“ Wann wäre das der bessere Weg?

# %% [markdown] tags=["wrong"] id="slope" of="d45e26"
# Du teilst durch `push`, aber die beiden Stellen liegen `2 * push` auseinander.

# %% [markdown] tags=["wrong"] id="slope" of="d24dfa"
# `a / 2 * push` ist `(a / 2) * push`. Setze `2 * push` in Klammern.

# %% [markdown] tags=["wrong"] id="slope" of="901f25"
# Du schiebst nur nach rechts, und die Steigung ändert sich unterwegs. Schiebe nach beiden Seiten.

# %% [markdown] tags=["wrong"] id="slope" of="3210ac"
# Du ziehst rechts von links ab. Wo die Funktion steigt, ist die Steigung positiv: Ziehe links von rechts ab.

# %% [markdown] tags=["wrong"] id="slope" of="d1f164"
# Du schiebst um eine Zahl, die du selbst gewählt hast. Benutze das `push`, das dir übergeben wird.

# %% [markdown] tags=["wrong"] id="slope" of="85d851"
# So weit hat sich das Ergebnis bewegt. Eine Steigung ist das für jede Einheit: Teile durch `2 * push`.

# %% [markdown] tags=["wrong"] id="mul" of="2126db"
# Jeder Faktor bekam seinen eigenen Wert. Bewegt sich `a` um 1, so bewegt sich das Produkt um `b`.

# %% [markdown] tags=["wrong"] id="mul" of="d4fd95"
# Du lässt `grad` weg. Die Steigung der Operation muss mit dem Gradienten multipliziert werden, der ankam.

# %% [markdown] tags=["wrong"] id="mul" of="9336ee"
# Du addierst den Gradienten, der ankam. Steigungen entlang einer Kette multiplizieren sich.

# %% [markdown] tags=["wrong"] id="mul" of="a068ae"
# Das sind die Zahlen eines einzelnen Beispiels. Berechne sie aus `a`, `b` und `grad`.

# %% [markdown] tags=["wrong"] id="mul" of="276fee"
# Das ist ein Gradient, und es gibt zwei Eingaben. Gib ein Paar zurück, mit einem Komma dazwischen.

# %% [markdown] tags=["wrong"] id="mul" of="76485c"
# Du gibst beiden den Gradienten des ganzen Produkts. Jeder Faktor hat seine eigene Steigung: den anderen Faktor.

# %% [markdown] tags=["wrong"] id="tanh" of="86351f"
# `y` ist schon ein tanh. Du wendest tanh noch einmal an.

# %% [markdown] tags=["wrong"] id="tanh" of="2cfd27"
# Du lässt `grad` weg, den Gradienten, der ankam.

# %% [markdown] tags=["wrong"] id="tanh" of="e5013a"
# Das Vorzeichen ist falsch herum: Die Steigung ist `1 - y * y`, nicht `y * y - 1`.

# %% [markdown] tags=["wrong"] id="tanh" of="6a8371"
# Die Steigung ist `1 - y * y`. Du vergisst das Quadrat.

# %% [markdown] tags=["wrong"] id="tanh" of="7bc5c1"
# Achte auf die Klammern: `grad` wird mit dem ganzen `1 - y * y` multipliziert.

# %% [markdown] tags=["wrong"] id="tanh" of="423282"
# Das ist ein Tupel mit einem Element: Am Ende steht ein Komma. Gib nur die Zahl zurück.

# %% [markdown] tags=["wrong"] id="neuron" of="7fa692"
# Der Gradient muss zuerst durch tanh hindurch: `tanh_backward(y, grad_y)`.

# %% [markdown] tags=["wrong"] id="neuron" of="f4c232"
# Die Gradienten von `w` und `x` sind vertauscht. `mul_backward(w, x, ...)` gibt sie in der Reihenfolge seiner Eingaben
# zurück.

# %% [markdown] tags=["wrong"] id="neuron" of="a9f39d"
# `tanh_backward` verlangt das Ergebnis von tanh, `y`, und du übergibst ihm die Eingabe, `total`.

# %% [markdown] tags=["wrong"] id="neuron" of="85a8ef"
# Der Gradient von `b` ist der Gradient der Summe. Bewegt sich `b` um 1, so bewegt sich die Summe um 1, und dann kommt
# noch die Steigung von tanh.

# %% [markdown] tags=["wrong"] id="neuron" of="7c47da"
# Du multiplizierst den Gradienten von `b` mit `b`. Die Summe reicht ihren Gradienten unverändert weiter.

# %% [markdown] tags=["wrong"] id="neuron" of="32323a"
# Du gibst zwei Gradienten zurück, und es gibt drei Eingaben: `w`, `x` und `b`.

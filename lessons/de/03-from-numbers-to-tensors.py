# ---
# title: Von Zahlen zu Tensoren
# goal: Den Gradienten eines Matrixprodukts und einer Summe mit Broadcasting schreiben, ohne je eine Jacobi-Matrix zu bauen.
# explorer: Jeder Wert zeigt seine Form, und sein Gradient hat dieselbe; das Add summiert, was es gedehnt hatte.
# ---

# %% [markdown] of="513292"
# # Von Zahlen zu Tensoren
#
# Eine Zahl hinein, eine Zahl heraus: eine Steigung. Aber eine Schicht eines Netzes nimmt tausend Zahlen und gibt tausend
# zurück. Jede Ausgabe kann sich mit jeder Eingabe bewegen. Das macht eine Million Steigungen, für eine Schicht. **Wie
# kann backward schnell sein, wenn jede Operation eine Million Steigungen hat?**
#
# Ein `b` wird dreimal benutzt, wie beim Broadcasting. Ziehe daran: Drei Gradienten kommen zurück und addieren sich.
#
# ```figure
# b = 1 from -2 to 2
# first = b * 2
# second = b * 3
# third = b * -1
# y = first + second + third
# show vom ersten = first_to_b
# show vom zweiten = second_to_b
# show vom dritten = third_to_b
# show ihre Summe = slope
# ```
#
# Am Ende dieser Lektion kannst du
#
# - sagen, was ein *VJP* ist und warum niemand die Tabelle aller Steigungen baut,
# - backward für ein Matrixprodukt schreiben und es allein an den Formen prüfen,
# - sagen, was Broadcasting auf dem Rückweg tut, und auch das schreiben.
#
# Du brauchst Lektion 1: Steigungen entlang einer Kette multiplizieren sich. Und eines, was Lektion 2 erklärt: Wo ein Wert
# mehr als einmal benutzt wird, addieren sich seine Gradienten.

# %% [markdown] of="fd51ef"
# ## Die Tabelle aller Steigungen
#
# Lass tanh auf drei Zahlen zugleich wirken. Es gibt drei Eingaben und drei Ausgaben, also neun Steigungen. Ihre Tabelle,
# eine Zeile für jede Ausgabe und eine Spalte für jede Eingabe, heißt *Jacobi-Matrix*:

# %% [markdown] of="11ef45"
# Nur die Diagonale ist nicht null, denn jede Ausgabe sieht nur ihre eigene Eingabe an. Für tausend Zahlen enthielte diese
# Tabelle 1.000.000 Steigungen, und 999.000 davon wären null.
#
# Erinnere dich nun, was backward von einer Operation verlangt. Es verlangt nie alle Steigungen. Es kommt mit einem
# Gradienten, einer Zahl für jede *Ausgabe*, und will eine Zahl für jede *Eingabe*. Für eine einzelne Eingabe lautet die
# Antwort: Addiere über alle Ausgaben den Gradienten, der dort ankam, mal die Steigung von der Eingabe dorthin. Sie
# addieren sich, weil die Eingabe von jeder dieser Ausgaben benutzt wird (Lektion 2).
#
# In der Sprache der Tabellen ist das eine Zeile von Zahlen mal die Jacobi-Matrix. Es heißt **Vektor-Jacobi-Produkt**,
# kurz **VJP**. Der Name klingt, als brauchte man die Jacobi-Matrix. Man braucht sie nicht. Unten steht die Antwort für
# tanh, auf beide Arten berechnet.

# %% [markdown] of="e0d1af"
# Die Gradienten 1, 10 und 100 kommen an den drei Ausgaben an. Die zweite Eingabe ist 1, und die Steigung von tanh bei 1
# ist 0,42. Welchen Gradienten bekommt die zweite Eingabe?
#
# ---
# **4,2**. Nur die zweite Ausgabe sieht sie an, und 10 · 0,42 = 4,2. Die Nullen der Tabelle fügen nichts hinzu.

# %% [markdown] of="aea54c"
# Dieselben Zahlen, mit drei Multiplikationen statt neun. **Jede Operation hat einen kurzen Weg zu ihrem VJP, und dieser
# kurze Weg ist ihre Rückwärtsregel.** Das ist das ganze Geheimnis, warum backward schnell ist: Für fast jede Operation
# kostet es ein- oder zweimal so viel wie forward.
#
# Und es gibt uns eine erste Prüfung, die keine Zahlen braucht:
#
# > Der Gradient eines Wertes hat die Form dieses Wertes. Immer.
#
# ## Das Matrixprodukt
#
# $Y = A B$, wobei `A` 2 × 3 ist und `B` 3 × 4. Also ist `Y` 2 × 4. An einer Stelle davon gilt, nach der Regel des
# Produkts,
#
# $$Y_{ik} = \sum_j A_{ij} B_{jk}$$
#
# In welchen Ausgaben kommt $A_{ij}$ vor? In der ganzen Zeile $i$ von `Y`, und an der Stelle $k$ ist seine Steigung
# $B_{jk}$. Also ist sein Gradient
#
# $$\bar A_{ij} = \sum_k \bar Y_{ik} B_{jk}$$
#
# Das ist wieder eine Summe von Produkten: wieder ein Matrixprodukt. Welches? Lass es dir von den Formen sagen. Du hast
# $\bar Y$, das ist 2 × 4, und `B`, das ist 3 × 4. Du willst 2 × 3. Es gibt nur eine Art, sie zusammenzusetzen, wenn du
# transponieren darfst.
#
# ### Aufgabe: das VJP eines Matrixprodukts
#
# Schreibe `matmul_backward(a, b, grad)`. Es gibt die Gradienten von `a` und von `b` zurück. In minigrad ist `a @ b` das
# Matrixprodukt, und `a.mT` ist `a` mit vertauschten Zeilen und Spalten.

# %% [markdown] of="daec53"
# Für `a`: 2 × 4 mal etwas, das 4 × 3 ist, ergibt 2 × 3. Welche deiner Matrizen ist nach `.mT` 4 × 3?

# %% [markdown] of="5df56a"
# Für `b`, das 3 × 4 ist: Du hast `a`, 2 × 3, und den Gradienten, 2 × 4. Beginne mit `a.mT`, das ist 3 × 2.

# %% [markdown] of="315fcc"
# Sieh, was es kostet. Für 2 × 3 mal 3 × 4 hat schon die Jacobi-Matrix für `A` allein 8 × 6 = 48 Steigungen. Für tausend
# mal tausend hätte sie eine Billion, acht Terabyte in doppelter Genauigkeit. Deine Regel macht es mit zwei
# Matrixprodukten.
#
# ## Broadcasting
#
# Eine Schicht addiert denselben Bias zu jeder Zeile: Die Formen sind 4 × 3 und 3. Der Bias hat zu wenige Zeilen, also
# wird er *gedehnt*: Jede Zeile bekommt dieselben drei Zahlen. Das heißt Broadcasting. Formen werden von rechts
# verglichen; eine Größe 1, oder eine fehlende, wird auf die Größe der anderen gedehnt.

# %% [markdown] of="efa77d"
# Was ist der Gradient des Bias? Bei `summed` kommt ein Gradient von 4 × 3 Zahlen an. Aber der Bias hat nur drei, und der
# Gradient eines Wertes hat die Form dieses Wertes.
#
# Denke an Lektion 2. Die erste Zahl des Bias wurde *viermal* benutzt, einmal in jeder Zeile. Wo ein Wert mehr als einmal
# benutzt wird, addieren sich seine Gradienten. Also: **Was auf dem Hinweg gedehnt wurde, wird auf dem Rückweg
# summiert.**

# %% [markdown] of="21e2fe"
# Die zweite Spalte des Gradienten herunter kommen 0, 0, 5 und 0. Was ist der Gradient der zweiten Zahl des Bias?
#
# ---
# **5**: die Summe der Spalte, 0 + 0 + 5 + 0.

# %% [markdown] of="cc5427"
# ### Aufgabe: heruntersummieren
#
# Schreibe `sum_down(grad, shape)`. Es nimmt einen Gradienten und die Form eines Wertes, der auf die Form des Gradienten
# gedehnt wurde. Es gibt den Gradienten dieses Wertes zurück, der genau diese Form, `shape`, hat. Zweierlei kann auf dem
# Hinweg geschehen sein:
#
# 1. Dimensionen *fehlten* links, wie beim Bias: (3,) wurde auf (4, 3) gedehnt. Summiere sie weg.
# 2. Eine Größe war *1*, wie wenn (4, 1) auf (4, 3) gedehnt wird. Summiere darüber, aber behalte sie, mit der Größe 1.
#
# Du brauchst `grad.ndim`, `grad.shape` und `grad.sum(dim)` oder `grad.sum(dim, keepdim=True)`.

# %% [markdown] of="92768b"
# Zuerst die fehlenden Dimensionen. Sie sind links, haben also die Nummer 0. Solange `grad.ndim > len(shape)` ist, ersetze
# `grad` durch `grad.sum(0)`.

# %% [markdown] of="1c7593"
# Jetzt haben beide gleich viele Dimensionen. Gehe `enumerate(shape)` durch. Wo die Größe 1 ist, summiert
# `grad.sum(dim, keepdim=True)` über diese Dimension und lässt eine 1 an ihrer Stelle.

# %% [markdown] of="6147c0"
# ### Aufgabe: ein Produkt mit Broadcasting
#
# Füge nun die beiden Lektionen zusammen. `a * b` dehnt, wie eine Summe es tut. Schreibe `mul_backward(a, b, grad)` für
# Tensoren beliebiger Formen, die zusammenpassen. Es ist die Regel aus Lektion 1, und dann `sum_down`.

# %% [markdown] of="8c9fa5"
# Der Gradient von `a` beginnt als `grad * b`, wie in Lektion 1. Er hat die Form der Ausgabe, die größer sein kann als
# `a`.

# %% [markdown] of="f9fa50"
# `sum_down(grad * b, a.shape)` ist der erste der beiden.

# %% [markdown] of="67d742"
# ## Eine Schicht, und wie sie aussieht
#
# Hier ist eine Schicht eines Netzes: ein Matrixprodukt, ein Bias, der gedehnt wird, und tanh. Vier Beispiele gehen hinein,
# mit je zwei Zahlen, und für jedes kommen drei Zahlen heraus.

# %% [markdown] of="7ff999"
# Sieh dir ihren Graphen an. Drücke auf der Seite der Lektion oben **Hier zeigen**, und der Graph steht
# neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 3` in ein Terminal: Der Browser öffnet
# sich beim neuesten Schritt, und das ist diese Schicht:
#
# 1. Jeder Wert zeigt seine Form, etwa 4×3. Vergleiche jeden Wert mit seinem Gradienten: Die Formen sind gleich.
# 2. Klicke auf das **Add**, das den Bias addiert. Zu dem, was es an `bias` weitergibt, steht dort *von 4×3 auf 3
#    summiert: Es war wiederholt worden*. Das ist dein `sum_down`.
# 3. Klicke auf **Mm**, das Matrixprodukt. Welche deiner beiden Regeln siehst du? Nur eine davon ist gelaufen. `x` verlangt
#    keinen Gradienten, also hat niemand danach gefragt.
# 4. Klicke auf eine Zahl in einer Tabelle rechts. Die Formel wird mit den Zahlen dieser Stelle ausgefüllt.
#
# In minigrad enthält keine Regel einer Operation ein `sum_down`. Die Maschine kennt die Form jeder Eingabe. Sie summiert
# von selbst herunter, was zu groß zurückkommt. Wer eine Operation schreibt, muss also nicht an Broadcasting denken und
# kann es nicht vergessen.
#
# ## Zusammenfassung
#
# - Die Jacobi-Matrix ist die Tabelle aller Steigungen. Sie ist viel zu groß, um gebaut zu werden.
# - Backward braucht nur ein Vektor-Jacobi-Produkt: Der Gradient der Ausgaben wird zum Gradienten der Eingaben.
# - Der Gradient eines Wertes hat die Form dieses Wertes.
# - Die Gradienten eines Matrixprodukts sind Matrixprodukte: $\bar Y B^\top$ und $A^\top \bar Y$.
# - Was auf dem Hinweg gedehnt wurde, wird auf dem Rückweg summiert. Das ist wieder Lektion 2: Es wurde mehr als einmal
#   benutzt.
#
# ## Zwei offene Fragen
#
# 1. `x.sum()` macht aus vielen Zahlen eine. Wie lautet seine Rückwärtsregel? Wie hängt das mit Broadcasting zusammen?
# 2. Ein VJP gibt dir eine Zeile der Jacobi-Matrix, wenn du für eine Ausgabe eine 1 zurückschickst und für alle anderen
#    eine 0. Wie oft musst du das für die ganze Tabelle tun? Wann gingest du lieber nach Spalten vor?

# %% [markdown] tags=["wrong"] id="matmul" of="ddcb48"
# Jeder Gradient wird mit seiner eigenen Matrix multipliziert. Wie in Lektion 1 braucht der Gradient von `a` das `b` und
# der von `b` das `a`.

# %% [markdown] tags=["wrong"] id="matmul" of="6ae3c4"
# Die beiden Gradienten sind vertauscht: zuerst der von `a`.

# %% [markdown] tags=["wrong"] id="matmul" of="5fc5c8"
# Die Faktoren des zweiten Produkts stehen in der falschen Reihenfolge, also kommt es transponiert heraus. Es muss die
# Form von `b` haben.

# %% [markdown] tags=["wrong"] id="matmul" of="3fe23b"
# Du lässt `grad` weg: Das sind Summen von Steigungen, als zählte jede Ausgabe 1.

# %% [markdown] tags=["wrong"] id="matmul" of="26e04f"
# Das ist nur der Gradient von `a`. Gib beide zurück, mit einem Komma dazwischen.

# %% [markdown] tags=["wrong"] id="sum-down" of="32b573"
# Eine Größe 1 muss erhalten bleiben: Summiere darüber mit `keepdim=True`.

# %% [markdown] tags=["wrong"] id="sum-down" of="8ba3c6"
# Du summierst die fehlenden Dimensionen weg, aber nicht die der Größe 1.

# %% [markdown] tags=["wrong"] id="sum-down" of="b5b322"
# Du summierst über die Größen 1, aber die fehlenden Dimensionen sind noch da.

# %% [markdown] tags=["wrong"] id="sum-down" of="70acc2"
# Die fehlenden Dimensionen sind die linken, mit der Nummer 0. Du summierst von rechts.

# %% [markdown] tags=["wrong"] id="sum-down" of="bf723d"
# Du nimmst den Mittelwert. Was mehrmals benutzt wurde, bekommt die *Summe* der Gradienten.

# %% [markdown] tags=["wrong"] id="sum-down" of="24cdf6"
# Du nimmst nur eine der gedehnten Zeilen. Alle Zeilen haben den Wert benutzt: Addiere sie.

# %% [markdown] tags=["wrong"] id="mul" of="35cfa9"
# Jeder Gradient hat noch die Form der Ausgabe. Summiere ihn auf die Form seines Faktors herunter.

# %% [markdown] tags=["wrong"] id="mul" of="24e8b1"
# Jeder Faktor bekam seinen eigenen Wert. Wie in Lektion 1 ist die Steigung für jeden der andere.

# %% [markdown] tags=["wrong"] id="mul" of="0e70b1"
# Summiere erst herunter, wenn du multipliziert hast: Der andere Faktor ist von Stelle zu Stelle verschieden.

# %% [markdown] tags=["wrong"] id="mul" of="2cfd27"
# Du lässt `grad` weg, den Gradienten, der ankam.

# %% [markdown] tags=["wrong"] id="mul" of="f89702"
# Der Gradient von `b` ist nicht heruntersummiert.

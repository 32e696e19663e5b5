# ---
# title: Vorwärtsgang
# goal: Steigungen mit den Werten mittragen und die Richtung wählen, die weniger kostet.
# explorer: Neben jedem Wert steht seine Tangente: wie schnell er sich bewegt. Sie fließen denselben Weg, vorwärts.
# ---

# %% [markdown] of="0081d9"
# # Vorwärtsgang
#
# Backward ist wunderbar, wenn es viele Eingaben und *ein* Ergebnis gibt: eine Million Gewichte, ein Verlust, ein Gang
# zurück. Aber du drehst an einem Knopf einer Maschine mit tausend Anzeigen. **Muss ich von jeder einzelnen Anzeige
# zurückgehen?**
#
# Im Vorwärtsgang trägt jeder Wert seine Tangente: wie schnell er sich bewegt, wenn sich `x` bewegt. Ziehe an `x`, und lies
# von oben.
#
# ```figure
# forward
# x = 0.5 from -2 to 2
# double = x * 2
# bent = tanh(double)
# y = bent * x
# show Tangente von y = slope
# show Steigung durch Probieren = measured
# ```
#
# Am Ende dieser Lektion kannst du
#
# - eine Steigung berechnen, ohne zurückzugehen und ohne dir etwas zu merken,
# - die Tabelle aller Steigungen nach Spalten oder nach Zeilen bauen und sagen, was billiger ist,
# - zweite Steigungen bekommen, indem du beide Gänge zugleich fährst.
#
# Du brauchst die Lektionen 1 und 3. Lektion 10 hilft am Ende.

# %% [markdown] of="cf202e"
# ## Eine Zahl, die weiß, wie schnell sie sich bewegt
#
# In Lektion 1 multiplizierten wir Steigungen entlang einer Kette und sagten: Von hinten ist besser. Aber nichts hindert uns,
# vorn zu beginnen. Dann tragen wir eine andere Zahl mit uns. An jeder Stelle beantwortet sie die Frage
#
# > Wenn sich die Eingabe um 1 je Sekunde bewegt, wie schnell bewegt sich der Wert *hier*?
#
# Diese Zahl heißt die **Tangente** des Wertes; für `y` schreiben wir $\dot y$ (sprich „y Punkt“). Das Paar aus beiden ist
# eine **duale Zahl**.

# %% [markdown] of="ab2211"
# Die Summe ist einfach: Geschwindigkeiten addieren sich, wie die eines Zuges und die von jemandem, der darin geht.
#
# ### Aufgabe: das Produkt
#
# Ein Rechteck hat die Seiten `a` und `b`, und beide wachsen. Wie schnell wächst seine *Fläche*? Es gibt zwei Teile: `a`
# wächst entlang der ganzen Seite `b`, und `b` wächst entlang der ganzen Seite `a`.
#
# Schreibe `multiply(a, b)` für zwei duale Zahlen. Es gibt die duale Zahl des Produkts zurück.

# %% [markdown] of="15c8c7"
# Der Wert ist das Produkt der Werte. Die Tangente ist eine Summe aus zwei Produkten.

# %% [markdown] of="a1c9c7"
# `a` wächst mit `a.tangent`, entlang der Seite `b.value`. Der andere Teil ist derselbe, mit `a` und `b` vertauscht.

# %% [markdown] of="a9b0f5"
# Sieh dir das Letzte an: $4 \cdot 4$, und beide Seiten sind dieselbe bewegte Zahl. Du bekommst 8, die Steigung von $x^2$ bei
# 4. Niemand musste zählen, wie oft ein Wert benutzt wird, und es gibt keine Reihenfolge zu bedenken. **Vorwärts kommt alles
# von selbst.**
#
# ### Aufgabe: tanh, vorwärts
#
# Die Steigung von tanh ist $1 - y^2$, wobei $y$ sein Ergebnis ist. Schreibe `tanh(x)`; es nimmt eine duale Zahl und gibt eine
# zurück.

# %% [markdown] of="e61441"
# Das Ergebnis bewegt sich so schnell wie die Eingabe, mal die Steigung von tanh.

# %% [markdown] of="5d178d"
# Das Ergebnis ist `Dual(y, ...)`, und die Tangente ist `(1.0 - y * y)` mal `x.tangent`.

# %% [markdown] of="323549"
# Hier ist das Neuron aus Lektion 1, $\tanh(w \cdot 3 - 5)$ bei $w = 2$. Dort hast du seine Steigung gemessen und bist dann für
# sie zurückgegangen.

# %% [markdown] of="e96d15"
# Das Gewicht bewegt sich mit der Geschwindigkeit 1. Das Produkt bewegt sich dann mit 3, die Summe mit 3. tanh hat bei 1 die
# Steigung 0,42. Wie schnell bewegt sich das Ergebnis?
#
# ---
# $3 \cdot 1 \cdot 0{,}42 =$ **1,26**: dieselben drei Zahlen wie in Lektion 1, von vorn multipliziert.

# %% [markdown] of="e2511f"
# Ein Lauf, und Wert und Steigung sind zusammen da. Nichts wurde aufgeschrieben und nichts aufbewahrt: Wenn das Ergebnis da ist,
# darf alles andere vergessen werden. Backward dagegen muss sich jeden Wert merken, nach dem eine Regel fragen wird (Lektion 4).
#
# Und der Preis? Wir sagten, dass sich `w` bewegt und `x` und `b` stillstehen. Für die Steigung entlang `x` müssen wir noch einmal
# laufen, mit einer anderen Eingabe in Bewegung. **Ein Lauf für jede Eingabe.**
#
# ## Mit Tensoren: das JVP
#
# Lass einen ganzen Tensor sich bewegen. Seine Tangente hat eine Zahl für jedes seiner Elemente: eine *Richtung*. Heraus kommt, wie
# sich die Ausgaben bewegen. In der Sprache von Lektion 3 ist das die Jacobi-Matrix mal eine Spalte, ein
# **Jacobi-Vektor-Produkt**, kurz **JVP**. Backward ist eine Zeile mal die Jacobi-Matrix, ein VJP.
#
# | | beginnt mit | ein Lauf ergibt | Jacobi-Matrix nach |
# | --- | --- | --- | --- |
# | forward, JVP | einer Richtung der Eingaben | wie sich *alle Ausgaben* bewegen | Spalten |
# | backward, VJP | einem Gradienten der Ausgaben | den Gradienten *aller Eingaben* | Zeilen |
#
# ### Aufgabe: das JVP eines Matrixprodukts
#
# $Y = A B$, und beide Matrizen bewegen sich. Schreibe `matmul_jvp(a, b, tangent_a, tangent_b)`; es gibt $\dot Y$ zurück. Es ist
# wieder das Rechteck.

# %% [markdown] of="8088df"
# Zwei Teile: `a` bewegt sich, während `b` stillsteht, und umgekehrt. Jeder ist ein Matrixprodukt.

# %% [markdown] of="b0e76b"
# Nichts muss transponiert werden. In `tangent_a @ b` steht die Tangente da, wo `a` stand.

# %% [markdown] of="b75639"
# `mg.func.jvp(function, inputs, tangents)` ist der Vorwärtsgang von minigrad. Er gibt zweierlei zurück: den Wert und seine
# Tangente.
#
# ## Die ganze Tabelle
#
# Manchmal will man doch die ganze Jacobi-Matrix. Für Spalte $j$ lass Eingabe $j$ sich mit der Geschwindigkeit 1 bewegen, und die
# anderen stillstehen. Für Zeile $i$ schicke einen Gradienten zurück, der bei Ausgabe $i$ gleich 1 ist und sonst 0. Hier ist die
# Tabelle nach Zeilen:

# %% [markdown] of="03da9f"
# ### Aufgabe: nach Spalten
#
# Schreibe `by_columns(function, x)`, für ein `x` der Form (n,). `mg.eye(n)` hat die n Einheitsrichtungen als Zeilen.

# %% [markdown] of="e6c254"
# Für jedes `unit` in `mg.eye(len(x))`: Rufe `mg.func.jvp(function, (x,), (unit,))` auf, und behalte das Zweite von dem, was es
# zurückgibt.

# %% [markdown] of="755305"
# `mg.stack(columns, dim=1)` stellt sie nebeneinander. Ohne `dim=1` lägen sie übereinander, als Zeilen, und deine Tabelle wäre
# gekippt.

# %% [markdown] of="b0576c"
# ## Der Kostenzähler
#
# Welche von beiden ist billiger? Raten wir nicht, zählen wir. minigrad erzählt allen, die zuhören, von jeder Operation, die es
# ausführt, des Programms wie der Gradienten:

# %% [markdown] of="4b7957"
# ### Aufgabe: wähle den Gang
#
# Schreibe `jacobian(function, x)`: die ganze Tabelle, auf die billigere Art. Um herauszufinden, wie viele Ausgaben es gibt, darfst
# du die Funktion einmal aufrufen. Die Prüfung sieht auf deinen Zähler.

# %% [markdown] of="7d6324"
# Nach Spalten läuft die Funktion einmal für jede *Eingabe*. Nach Zeilen geht man einmal für jede *Ausgabe* zurück.

# %% [markdown] of="bcb7b4"
# Vergleiche `len(x)` mit `len(function(x))`, und rufe das eine oder das andere auf.

# %% [markdown] of="9e2a17"
# Eine Faustregel: **Wenige Eingaben, vorwärts; wenige Ausgaben, rückwärts.** Lernen hat eine Ausgabe, den Verlust, und deshalb geht
# alle Welt rückwärts.
#
# Es gibt eine zweite Rechnung, den Speicher. Backward behält, wonach seine Regeln fragen, bis es vorbeigekommen ist. Forward behält
# nichts: Es kann durch ein Programm von einer Million Schritten gehen, im Speicher von einem.
#
# ## Beide Gänge zugleich
#
# In Lektion 10 war ein Hesse-Vektor-Produkt ein Gradient eines Gradienten: zweimal backward. Aber gefragt ist, wie sich der
# *Gradient* entlang einer Richtung *bewegt*. Etwas, das sich entlang einer Richtung bewegt, ist eine Aufgabe für den Vorwärtsgang.
# Schiebe also eine Richtung *durch* backward hindurch:

# %% [markdown] of="f3c224"
# Das ist die erste Spalte der Hesse-Matrix aus Lektion 10: 1330 und 480.
#
# ## Sieh die Tangenten fließen
#
# PyTorch schreibt duale Zahlen mit `make_dual` und `unpack_dual`, und minigrad hat das auch. Hier ist noch einmal das Neuron. Sein
# Gewicht verlangt auch einen Gradienten, damit wir von der Tangente am Ende *zurück* gehen können: Das ist die Steigung der
# Steigung.

# %% [markdown] of="727ac2"
# Sieh dir seinen Graphen an. Drücke auf der Seite der Lektion oben **Hier zeigen**, und der Graph steht neben dem
# Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 11` in ein Terminal: Der Browser öffnet sich beim neuesten
# Schritt, und das ist dieser:
#
# 1. Drücke **home**, dann **→**. Jede Operation gibt ihren Wert in Blau: 6, 1, 0.7616. Und gleich danach gibt ein zweiter Kasten die
#    *Tangente*, auch in Blau: 3, dann 3, dann 1.260. Beide fließen denselben Weg, nach unten. Noch keine einzige orange Zahl.
# 2. Klicke auf den Kasten, der 1.260 sagt. Seine Formel ist $g \odot (1 - y^2)$: die Regel von tanh aus Lektion 1, mit einer Tangente
#    gefüttert und nicht mit einem Gradienten. Die eine Regel dient beiden Gängen, weil tanh auf jedes Element allein wirkt.
# 3. Der zweite Kasten der Subtraktion sagt **Clone**: Er reicht die Tangente weiter, wie sie ist. Warum? (Was ist die Tangente einer
#    Konstanten?)
# 4. Gehe mit **→** weiter. Jetzt beginnt backward, bei der Tangente, und orange Zahlen gehen hinauf. Auf der letzten Kante, in `w`
#    hinein, steht -5.76: die Steigung der Steigung.
#
# ## Zusammenfassung
#
# - Eine duale Zahl trägt ihre Tangente: wie schnell sie sich bewegt, wenn sich die Eingabe bewegt.
# - Der Vorwärtsgang gibt die Jacobi-Matrix nach Spalten, ein Lauf für jede Eingabe. Er behält nichts.
# - Backward gibt sie nach Zeilen, ein Gang für jede Ausgabe. Es muss sich erinnern.
# - Wenige Eingaben: vorwärts. Wenige Ausgaben: rückwärts. Für ein Hesse-Vektor-Produkt: vorwärts durch rückwärts.
#
# ## Zwei offene Fragen
#
# 1. Eine Funktion hat 1.000 Eingaben und 1.000 Ausgaben, aber in ihr geht alles durch eine Schicht von 10 Zahlen. Wie viele Läufe
#    brauchst du für die ganze Jacobi-Matrix, wenn du sie dort in zwei Teile schneidest?
# 2. Schicke eine *zufällige* Richtung durch den Vorwärtsgang, und multipliziere die Richtung mit der Zahl, die herauskommt. Im Mittel
#    ist das der Gradient! Warum trainiert niemand große Netze so? (Probiere es mit 1.000 Eingaben.)

# %% [markdown] tags=["wrong"] id="multiply" of="b5cef4"
# Beide Seiten wachsen, und ein Teil fehlt. Addiere `a.value * b.tangent`.

# %% [markdown] tags=["wrong"] id="multiply" of="980c84"
# Du multiplizierst die beiden Tangenten. Jede Tangente gehört zum *Wert* der anderen Seite.

# %% [markdown] tags=["wrong"] id="multiply" of="b834b4"
# Das ist ein einfaches Tupel. Gib ein `Dual` zurück, damit man es weiter multiplizieren und addieren kann.

# %% [markdown] tags=["wrong"] id="multiply" of="81dcf6"
# Beide Teile werden addiert; du ziehst einen vom anderen ab.

# %% [markdown] tags=["wrong"] id="multiply" of="1aa1e2"
# Jede Tangente gehört zum Wert der *anderen* Seite, nicht der eigenen.

# %% [markdown] tags=["wrong"] id="multiply" of="fc903a"
# Du addierst die Tangenten, wie in einer Summe. In einem Produkt wird jede mit der anderen Seite multipliziert.

# %% [markdown] tags=["wrong"] id="multiply" of="dd7ff0"
# Gib eine duale Zahl zurück: `Dual(value, tangent)`. Und jede Seite bewegt sich, während die andere stillsteht: Das
# macht zwei Teile.

# %% [markdown] tags=["wrong"] id="tanh" of="d6db3f"
# Die Tangente der Eingabe fehlt: Multipliziere mit `x.tangent`.

# %% [markdown] tags=["wrong"] id="tanh" of="cc8b44"
# Die Steigung ist `1 - y * y`, mit der *Ausgabe* `y`. Du nimmst die Eingabe.

# %% [markdown] tags=["wrong"] id="tanh" of="a4edb2"
# Du wendest tanh auf die Tangente an. Eine Tangente wird mit der Steigung multipliziert.

# %% [markdown] tags=["wrong"] id="tanh" of="7bd6d0"
# Das ist ein einfaches Tupel. Gib ein `Dual` zurück.

# %% [markdown] tags=["wrong"] id="tanh" of="6c7efb"
# Die Tangente geht unverändert hindurch. Multipliziere sie mit der Steigung von tanh.

# %% [markdown] tags=["wrong"] id="tanh" of="2142a2"
# Der Wert muss das Ergebnis von tanh sein, nicht die Eingabe.

# %% [markdown] tags=["wrong"] id="tanh" of="2f6822"
# `y` ist schon das Ergebnis von tanh: Die Steigung ist `1 - y * y`, ohne ein weiteres tanh.

# %% [markdown] tags=["wrong"] id="matmul-jvp" of="c62603"
# Das ist einer von zwei Teilen: Auch `b` bewegt sich.

# %% [markdown] tags=["wrong"] id="matmul-jvp" of="112aa4"
# Du multiplizierst die beiden Tangenten. Jede gehört zur anderen Matrix.

# %% [markdown] tags=["wrong"] id="matmul-jvp" of="3780c6"
# Du ziehst einen Teil vom anderen ab. Addiere sie.

# %% [markdown] tags=["wrong"] id="matmul-jvp" of="197979"
# Das ist der Wert, nicht, wie er sich bewegt.

# %% [markdown] tags=["wrong"] id="matmul-jvp" of="8750c2"
# Das ist zweimal der erste Teil: Im zweiten bewegt sich `b`.

# %% [markdown] tags=["wrong"] id="matmul-jvp" of="205c88"
# Es gibt zwei Teile, wie beim Rechteck: Jede Matrix bewegt sich, während die andere stillsteht.

# %% [markdown] tags=["wrong"] id="by-columns" of="5b7fd1"
# Die Spalten liegen übereinander, als Zeilen: Die Tabelle ist gekippt. Nimm `dim=1`.

# %% [markdown] tags=["wrong"] id="by-columns" of="333764"
# Du behältst den Wert. Das Zweite von dem, was `jvp` zurückgibt, ist die Tangente.

# %% [markdown] tags=["wrong"] id="by-columns" of="2a60b5"
# Das ist eine einzige Spalte, in der sich alle Eingaben zugleich bewegen. Bewege eine nach der anderen.

# %% [markdown] tags=["wrong"] id="by-columns" of="ebbaf5"
# Es stimmt, aber es geht rückwärts, nach Zeilen. Nach Spalten geht es vorwärts, mit `jvp`.

# %% [markdown] tags=["wrong"] id="by-columns" of="e1fb7f"
# Das ist eine Liste. Mache mit `mg.stack(columns, dim=1)` eine Tabelle daraus.

# %% [markdown] tags=["wrong"] id="by-columns" of="212471"
# `jvp` nimmt Tupel, auch bei einer einzigen Eingabe: `mg.func.jvp(function, (x,), (direction,))`.

# %% [markdown] tags=["wrong"] id="jacobian" of="05cb49"
# Du gehst immer nach Zeilen, auch wo es wenige Eingaben und viele Ausgaben gibt.

# %% [markdown] tags=["wrong"] id="jacobian" of="3cac27"
# Du gehst immer nach Spalten, auch wo es viele Eingaben und wenige Ausgaben gibt.

# %% [markdown] tags=["wrong"] id="jacobian" of="75a64e"
# Die Wahl ist falsch herum: bei wenigen Eingaben nach Spalten.

# %% [markdown] tags=["wrong"] id="jacobian" of="499d3f"
# Du berechnest die Tabelle auf beide Arten. Eine genügt.

# %% [markdown] tags=["wrong"] id="jacobian" of="da5d0f"
# Bei einer Funktion mit einer Eingabe fehlt die Form: `by_columns` oder `by_rows` gibt die ganze Tabelle.

# %% [markdown] tags=["wrong"] id="jacobian" of="9b3311"
# Das wählt nur nach der Zahl der Eingaben. Vergleiche sie mit der Zahl der Ausgaben.

# %% [markdown] tags=["check"] id="by-columns" of="c3eb66"
# ob `by_columns` für eine Funktion mit {size} Eingaben eine Gradientenregel ausführte

# %% [markdown] tags=["check"] id="jacobian" of="4bfed9"
# `jacobian({name}, x)` für ein zufälliges x

# %% [markdown] tags=["check"] id="jacobian" of="400ba8"
# wie viele Operationen in `jacobian({name}, x)` laufen

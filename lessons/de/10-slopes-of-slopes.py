# ---
# title: Steigungen von Steigungen
# goal: Einen Gradienten ableiten und die Krümmung sagen lassen, wie weit man gehen soll.
# explorer: Der Rahmen „graph of the gradient“: backward ist zu Operationen geworden, mit eigenen Gradienten.
# ---

# %% [markdown] of="37b7bc"
# # Steigungen von Steigungen
#
# Du stehst im Nebel an einem Hang und kennst die Steigung unter deinen Füßen. Also weißt du, wo es hinuntergeht. Aber **wie
# weit soll ich gehen?** Einen Meter, oder tausend?
#
# Der Ring ist, wohin ein Schritt von Newton führt: die Steigung geteilt durch die Steigung der Steigung. Ziehe an `x`.
#
# ```figure
# x = 2.4 from -0.5 to 3
# y = x ** 4 / 4 - x ** 2 + 1
# mark x - slope / curvature
# show Steigung = slope
# show Steigung der Steigung = curvature
# show x nach Newtons Schritt = x - slope / curvature
# ```
#
# Die Steigung kann es dir nicht sagen. Sie sagt, wie steil es *hier* ist, und nichts darüber, wie bald sich das ändert. Was du
# wissen willst, ist die Steigung der Steigung.
#
# Am Ende dieser Lektion kannst du
#
# - einen Gradienten ableiten, so oft du willst,
# - den Grund eines Tals in fünf Schritten finden, wo einfacher Abstieg viele Tausende braucht,
# - sagen, wie groß eine Lernrate sein darf, für eine Funktion mit hunderttausend Eingaben.
#
# Du brauchst die Lektionen 1 und 3, und aus der Schule: Die Steigung von $x^3$ ist $3x^2$.

# %% [markdown] of="a437cc"
# ## Auch ein Gradient ist ein Ergebnis
#
# minigrad kann die Steigung jedes Programms finden, das aus seinen Operationen gemacht ist. Und was ist backward? Ein Programm
# aus Operationen: Produkte, Summen, hier und da ein $1 - y^2$. Also hat auch backward Steigungen. Wir müssen nur verlangen, dass
# es *aufgeschrieben* wird, während es läuft, wie forward. Die Worte dafür sind `create_graph=True`.

# %% [markdown] of="36c341"
# $x^3$ ist 8 bei $x = 2$, und seine Steigung $3x^2$ ist dort 12. Wie groß ist die Steigung der Steigung?
#
# ---
# Wieder **12**. Die Steigung ist $3x^2$; deren Steigung ist $6x$, und das ist 12 bei 2.

# %% [markdown] of="6eab9c"
# Drei Zahlen: der Wert, seine Steigung und die Steigung der Steigung.
#
# `autograd.grad(y, x)` ist ein backward, das den Gradienten *zurückgibt*, wo `y.backward()` ihn in `x.grad` legt. Es gibt ein
# Tupel zurück, einen Gradienten für jede Eingabe, daher das Komma nach `slope`.
#
# Jeder vergisst `create_graph=True` einmal. So sieht es dann aus:

# %% [markdown] of="cece68"
# Die Zahl 12 kam zurück, aber niemand hat aufgeschrieben, wie sie gemacht wurde. Für minigrad ist sie eine Konstante wie jede
# andere.
#
# ### Aufgabe: so oft du willst
#
# Schreibe `derivative(function, at, times)`. Es gibt als Python-Zahl die Steigung der Steigung der Steigung von `function` bei
# `at` zurück, `times`-mal. Mit `times=0` gibt es den Wert der Funktion zurück.

# %% [markdown] of="ae3dcc"
# Ersetze `result` durch seinen eigenen Gradienten, `times`-mal, in einer Schleife.

# %% [markdown] of="c15759"
# `(result,) = mg.autograd.grad(result, x, create_graph=True)` ist der ganze Rumpf der Schleife. Am Ende ist `result.item()` die
# Zahl.

# %% [markdown] of="75b4c5"
# ## Wie weit also?
#
# Gehe eine Schüssel hinab, $f(x) = x^2 - 6x$. Ihr Grund ist bei 3. Bei 10 ist die Steigung $2 \cdot 10 - 6 = 14$. Die Steigung der
# Steigung ist 2: Mit jeder Einheit, die du gehst, fällt die Steigung um 2. Nach $14 / 2 = 7$ Einheiten ist sie also 0, und wo die
# Steigung 0 ist, da ist der Grund:
#
# $$x_{\text{neu}} = x - \frac{\text{Steigung}}{\text{Steigung der Steigung}}$$
#
# Das ist das **Newton-Verfahren**. In einer Schüssel dieser Form genügt ein Schritt. In jedem anderen Tal ändert sich die Steigung
# der Steigung unterwegs, also trifft der Schritt nicht ganz, aber der nächste beginnt viel näher:

# %% [markdown] of="e0e23f"
# Sieh dir die Fehler an. Vom zweiten Schritt an ist jeder etwa das *Quadrat* des vorigen: Die Zahl der richtigen Stellen
# verdoppelt sich. Nichts, was nur die Steigung kennt, kann das.
#
# ## Zwei Zahlen: die Hesse-Matrix
#
# Hier ist ein Tal mit zwei Eingaben, lang und gekrümmt wie das eines Flusses. Es heißt Rosenbrocks Tal, und seit 1960 werden
# Verfahren daran erprobt. Sein tiefster Punkt ist (1, 1).

# %% [markdown] of="e0be3d"
# Tausend Schritte, und immer noch weit von (1, 1). Die Steigung zeigt quer durch das Tal, von Wand zu Wand, und die kleine
# Lernrate, die die steilen Wände verlangen, ist viel zu klein für den flachen Boden.
#
# Mit zwei Eingaben hat der Gradient zwei Zahlen. Jede von ihnen hat eine Steigung für jede der beiden Eingaben: vier Steigungen
# von Steigungen. Ihre Tabelle heißt **Hesse-Matrix**. Ihre Zeile $i$ ist der Gradient der $i$-ten Zahl des Gradienten:
#
# $$H_{ij} = \frac{\partial \bar p_i}{\partial p_j}$$
#
# ### Aufgabe: die Hesse-Matrix
#
# Schreibe `hessian(function, p)`. Es gibt den Gradienten bei `p` und die Hesse-Matrix zurück, einen Tensor der Form (n, n).
# `mg.stack` macht aus einer Liste von Zeilen eine Tabelle.
#
# Eines verlangt Sorgfalt. Backward lässt los, was der Graph aufbewahrt hatte (Lektion 4). Du gehst für jede Zeile einmal durch
# denselben Graphen, also muss er behalten werden: `retain_graph=True`.

# %% [markdown] of="c2e5bb"
# `for each in gradient:` gibt dir seine Zahlen eine nach der anderen. Jede ist ein Tensor mit einem Graphen dahinter.

# %% [markdown] of="d03266"
# Eine Zeile ist `mg.autograd.grad(each, p, retain_graph=True)[0]`. Sammle sie in einer Liste, und gib
# `gradient.detach(), mg.stack(rows)` zurück.

# %% [markdown] of="0c0740"
# Beide Tabellen sind über und unter der Diagonale gleich. Das ist kein Zufall: Wie sich die Steigung entlang `x` mit `y` ändert,
# so ändert sich die Steigung entlang `y` mit `x`, überall, wo die Funktion glatt ist.
#
# ### Aufgabe: Newton in fünf Schritten
#
# Mit vielen Eingaben wird aus „Steigung geteilt durch Steigung der Steigung“: Löse $H s = g$ nach dem Schritt $s$, und gehe zu
# $p - s$. Schreibe `newton(function, start, steps)`; es gibt zurück, wo es endet. Benutze dein `hessian` und
# `mg.linalg.solve(matrix, vector)`.

# %% [markdown] of="6b972a"
# In jedem Schritt: Frage `hessian` nach dem Gradienten und der Matrix bei `p`; dann ersetze `p`.

# %% [markdown] of="4657ad"
# `p = p - mg.linalg.solve(curvature, gradient)`. Die Schleife wiederholt das `steps`-mal.

# %% [markdown] of="ccc17c"
# Newton springt durch das Tal und steigt einen Augenblick lang sogar, in Schritt 2. Dann hat er die Form des Bodens und landet.
# (Eine Warnung, die du ausprobieren solltest: Newton sucht eine Stelle, an der die Steigung 0 ist. Auch ein Gipfel ist eine
# solche Stelle.)
#
# ## Hunderttausend Eingaben
#
# Ein Netz mit 100.000 Gewichten hat eine Hesse-Matrix von 100.000 × 100.000 Zahlen. In doppelter Genauigkeit sind das 80
# Gigabyte, und es braucht 100.000 backwards. Das macht niemand.
#
# Erinnere dich an Lektion 3. Auch die Jacobi-Matrix war viel zu groß, und der Ausweg war, sie nicht zu bauen: Man braucht nur, was
# sie mit einem Vektor macht. Hier ist es dasselbe. Wir wollen $H v$, das **Hesse-Vektor-Produkt**: wie sich der Gradient ändert,
# wenn wir in Richtung $v$ gehen.
#
# Und es kostet ein backward mehr. Sieh dir die Zahl $g \cdot v$ an, den Gradienten mal eine feste Richtung, aufsummiert. Ihr
# Gradient ist an der Stelle $j$
#
# $$\sum_i \frac{\partial g_i}{\partial p_j} v_i = (H v)_j$$
#
# denn die Hesse-Matrix ist über und unter der Diagonale gleich.
#
# ### Aufgabe: ein Produkt mit der Hesse-Matrix, ohne die Hesse-Matrix
#
# Schreibe `hvp(function, p, v)`. Es gibt $H v$ bei `p` zurück: ein Gradient, dann eine Summe von Produkten, dann ein Gradient.

# %% [markdown] of="8defe7"
# Die erste Zeile der Antwort steht in `hessian`. Welcher der beiden Gradienten braucht `create_graph=True`?

# %% [markdown] of="02eabf"
# `(gradient * v).sum()` ist eine Zahl mit einem Graphen dahinter. Gib ihren Gradienten nach `p` zurück.

# %% [markdown] of="c28661"
# ## Wie groß darf eine Lernrate sein?
#
# Steige mit der Lernrate $\eta$ in eine Schüssel der Krümmung $\lambda$ hinab. Die Steigung bei $x$ ist $\lambda x$, also führt ein
# Schritt von $x$ zu $x - \eta \lambda x = (1 - \eta \lambda) x$. Du kommst nur näher, wenn $|1 - \eta \lambda| < 1$ ist. Das ist so,
# solange
#
# $$\eta < \frac{2}{\lambda}$$
#
# Eine Funktion mit vielen Eingaben hat in jeder Richtung eine Krümmung. Die *größte* setzt die Grenze. Um sie zu finden, nimm
# irgendeine Richtung $v$, und ersetze sie immer wieder durch $H v$, auf die Länge 1 gebracht. Jedes Mal wächst die Richtung der
# größten Krümmung mehr als die anderen, bis nur sie noch übrig ist. Die Länge von $H v$ ist dann die Krümmung. Das heißt
# *Potenzmethode*.
#
# Eine Funktion, um es daran zu probieren, mit zwei Krümmungen, 10 und 1:

# %% [markdown] of="0eaa3b"
# ### Aufgabe: die schärfste Krümmung
#
# Schreibe `sharpest(function, p, rounds)`. Beginne mit `v`, das gegeben ist. Berechne in jeder Runde $H v$, behalte seine Länge
# `(product * product).sum().sqrt()`, und teile durch sie. Gib die letzte Länge als Python-Zahl zurück.

# %% [markdown] of="4d4395"
# Drei Zeilen in einer Schleife: das Produkt, seine Länge, das neue `v`.

# %% [markdown] of="6fa5cd"
# `product = hvp(function, p, v)`, dann `length = (product * product).sum().sqrt()`, dann `v = product / length`. Nach der Schleife
# `length.item()`.

# %% [markdown] of="0df24e"
# Stimmt das? Steige 100 Schritte in `two_curvatures` hinab, mit einer Lernrate knapp unter der Grenze und einer knapp darüber.

# %% [markdown] of="cfda99"
# Die beiden Krümmungen sind 10 und 1. Welches ist die größte Lernrate, die nicht explodiert?
#
# ---
# $2 / 10 =$ **0,2**. Die schärfste Richtung setzt die Grenze für alle: Entlang der anderen wäre noch 2 erlaubt.

# %% [markdown] of="5a04ef"
# Unter der Grenze stirbt der Fehler ab. Darüber explodiert er, obwohl beide an derselben Stelle beginnen und dieselbe Steigung
# haben. *Darum* also wird ein Verlust plötzlich NaN, wenn die Lernrate zu groß ist.
#
# ## Sieh zu, wie minigrad es macht
#
# Ein kleiner Fall: die dritte Potenz, ihre Steigung und die Steigung ihrer Steigung; bei 1,5 sind das 3,375, 6,75 und 9. (`look`
# beginnt in der Aufzeichnung einen neuen Schritt, damit dieser Graph für sich steht. Sonst tut es nichts.)

# %% [markdown] of="f52e4a"
# Sieh dir ihren Graphen an. Drücke auf der Seite der Lektion oben **Hier zeigen**, und der Graph steht neben dem
# Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 10` in ein Terminal: Der Browser öffnet sich beim neuesten
# Schritt, und das ist dieser:
#
# 1. Links stehen die beiden Produkte von forward, $x \cdot x$ und $\cdot\, x$. Daneben steht ein Rahmen, **∇1 graph of the
#    gradient** (Graph des Gradienten). Er enthält 6 Operationen: was backward tat, aufgeschrieben. Sein letztes **Add** ergibt
#    `slope`, 6,75.
# 2. Drücke **home**, dann **→**. Zuerst erscheinen die Werte der beiden Produkte blau, dann ihre Gradienten orange, wie immer. Mit
#    jeder orangen Zahl erscheint ein Kasten im Rahmen, und dort ist dieselbe Zahl *blau*: Auch ein Gradient ist ein Wert.
# 3. Gehe weiter. Das zweite backward beginnt bei `slope` und läuft durch den Rahmen *und* durch den ersten Graphen hinauf. Klicke
#    auf `x`: **.grad** ist eine Summe von 5 Beiträgen. Fünfmal wurde `x` auf dem Weg zu seiner Steigung benutzt.
# 4. Klicke im Rahmen auf ein **Mul**. Seine Formel ist dieselbe wie draußen. Es gibt nur einen Satz von Regeln, und er wird auf
#    sich selbst angewandt.
#
# ## Zusammenfassung
#
# - Backward ist ein Programm aus Operationen. Mit `create_graph=True` wird es aufgeschrieben und hat selbst Steigungen.
# - Die Steigung der Steigung, die Krümmung, sagt, wie weit man gehen soll. Newtons Schritt ist die Steigung geteilt durch sie.
# - Die Hesse-Matrix ist die Tabelle aller Steigungen von Steigungen. Für große Programme baut sie niemand.
# - Ein Hesse-Vektor-Produkt kostet ein backward mehr: der Gradient von $g \cdot v$.
# - Die größte Krümmung $\lambda$ begrenzt die Lernrate: $\eta < 2 / \lambda$.
#
# ## Zwei offene Fragen
#
# 1. Lass `newton` auf der Funktion `x**3 - 3 * x` bei -0.5 und bei 0.5 beginnen. Wo endet es, und ist das ein Grund? Woran
#    könntest du es an der Krümmung erkennen, und was würdest du ändern?
# 2. Für `hvp` bist du zweimal rückwärts gegangen. Angenommen, du könntest entlang einer Richtung *vorwärts* gehen und Steigungen
#    mittragen. Könntest du das durch backward hindurchschieben? (Lektion 11 hat einen solchen Weg.)

# %% [markdown] tags=["wrong"] id="derivative" of="205431"
# Ohne `create_graph=True` ist die Steigung eine Konstante und hat selbst keine Steigung.

# %% [markdown] tags=["wrong"] id="derivative" of="84e22c"
# Du nimmst die Steigung einmal, was auch immer `times` ist. Wiederhole es in einer Schleife.

# %% [markdown] tags=["wrong"] id="derivative" of="dd1b71"
# Das ist ein Tensor. Gib eine Python-Zahl zurück: `result.item()`.

# %% [markdown] tags=["wrong"] id="derivative" of="ff1696"
# Du gehst einmal zu oft: Bei `times=0` ist der Wert selbst gefragt.

# %% [markdown] tags=["wrong"] id="hessian" of="680540"
# Die Zeilen stehen nebeneinander, als eine Zeile. `mg.stack` macht eine Tabelle daraus.

# %% [markdown] tags=["wrong"] id="hessian" of="42e8ba"
# Nach der ersten Zeile ist der Graph weg. Behalte ihn: `retain_graph=True`.

# %% [markdown] tags=["wrong"] id="hessian" of="fb056a"
# Das ist der Gradient der Summe: eine Zeile. Frage nach jeder Zahl des Gradienten für sich.

# %% [markdown] tags=["wrong"] id="hessian" of="65dc94"
# Gib auch den Gradienten zurück: zuerst den Gradienten, dann die Tabelle.

# %% [markdown] tags=["wrong"] id="hessian" of="15b106"
# Du behältst nur die Diagonale. Es zählt auch, wie sich die Steigung entlang einer Eingabe mit einer anderen ändert.

# %% [markdown] tags=["wrong"] id="hessian" of="bc7fa3"
# Deine Zeilen sind immer dieselbe Zeile. Nimm `each` der Reihe nach.

# %% [markdown] tags=["wrong"] id="newton" of="ab185a"
# Du gehst vom Grund weg: Der Schritt wird abgezogen, `p - s`.

# %% [markdown] tags=["wrong"] id="newton" of="b3ac89"
# Nach der Hesse-Matrix wird nur am Anfang gefragt. Frage an jedem neuen Ort.

# %% [markdown] tags=["wrong"] id="newton" of="d9a3ce"
# Du multiplizierst mit der Hesse-Matrix. Löse nach dem Schritt: `mg.linalg.solve(curvature, gradient)`.

# %% [markdown] tags=["wrong"] id="newton" of="e58a8a"
# Das ist ein Abstieg nur mit dem Gradienten, ohne die Krümmung.

# %% [markdown] tags=["wrong"] id="newton" of="84e20e"
# Das `return` steht in der Schleife, also gibt es nur einen Schritt.

# %% [markdown] tags=["wrong"] id="newton" of="075307"
# Du teilst nur durch die Zahlen der Diagonale. Die beiden Eingaben hängen zusammen: Löse mit der ganzen Tabelle.

# %% [markdown] tags=["wrong"] id="newton" of="51dc52"
# `hessian` gibt zwei Dinge zurück. Nimm sie auseinander: `gradient, curvature = hessian(function, p)`.

# %% [markdown] tags=["wrong"] id="hvp" of="f5c6cc"
# Der erste Gradient braucht `create_graph=True`, sonst ist er eine Konstante.

# %% [markdown] tags=["wrong"] id="hvp" of="4c3a09"
# Die Richtung `v` fehlt.

# %% [markdown] tags=["wrong"] id="hvp" of="5c5a31"
# Das ist die Zahl g·v selbst. Gefragt ist ihr Gradient.

# %% [markdown] tags=["wrong"] id="hvp" of="68e604"
# `mg.autograd.grad` gibt ein Tupel zurück. Nimm sein Element heraus.

# %% [markdown] tags=["wrong"] id="hvp" of="87194f"
# Das ist der Gradient mal `v`, Element für Element.

# %% [markdown] tags=["wrong"] id="hvp" of="7fe5f3"
# Die Hesse-Matrix von 100.000 Eingaben passt nirgends hinein. Komm ohne sie aus.

# %% [markdown] tags=["wrong"] id="sharpest" of="b47fd7"
# Das ist die Länge nach einer Runde. In jeder Runde muss `v` zum Produkt werden, geteilt durch dessen Länge.

# %% [markdown] tags=["wrong"] id="sharpest" of="591026"
# Das Produkt wird nicht durch seine Länge geteilt, also wächst es ohne Ende.

# %% [markdown] tags=["wrong"] id="sharpest" of="d36671"
# Die Wurzel fehlt: Das ist das Quadrat der Länge.

# %% [markdown] tags=["wrong"] id="sharpest" of="dba353"
# Du gibst die Richtung zurück. Gefragt ist die Länge des letzten Produkts.

# %% [markdown] tags=["wrong"] id="sharpest" of="5cef0d"
# Du beginnst mit einem `v`, das länger als 1 ist, also ist die erste Länge zu groß. Nimm das gegebene.

# %% [markdown] tags=["wrong"] id="derivative" of="0d34c4"
# Das ist eine Steigung zu wenig: Die Schleife läuft `times`-mal.

# %% [markdown] tags=["wrong"] id="derivative" of="697256"
# `mg.autograd.grad` gibt ein Tupel zurück. Nimm sein Element heraus: `(result,) = ...`.

# %% [markdown] tags=["wrong"] id="hessian" of="fcf949"
# Deine Zeilen sind noch eine Liste. `mg.stack` macht eine Tabelle daraus.

# %% [markdown] tags=["wrong"] id="hessian" of="0d0ede"
# Zuerst der Gradient, dann die Tabelle.

# %% [markdown] tags=["wrong"] id="newton" of="e0a913"
# Du machst immer einen Schritt. Mache `steps` davon, bei 0 keinen.

# %% [markdown] tags=["wrong"] id="hvp" of="e571d2"
# Multipliziere vor dem zweiten Gradienten mit `v`, nicht danach.

# %% [markdown] tags=["check"] id="hvp" of="c81767"
# 0.5 * (s * p * p).sum(), wobei s überall 1 ist, und 50 an der letzten Stelle

# %% [markdown] tags=["check"] id="hvp" of="f29409"
# die erste und die letzte Zahl von `hvp(wide_bowl, p, v)` mit {many} Eingaben, wobei p aus Einsen besteht und v überall
# {value} ist

# %% [markdown] tags=["check"] id="hvp" of="9cf7de"
# wie oft `hvp(wide_bowl, p, v)` rückwärts geht, bei {many} Eingaben

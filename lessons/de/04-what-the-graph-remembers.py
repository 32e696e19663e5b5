# ---
# title: Was sich der Graph merkt
# goal: Sagen, welche Werte ein Graph für backward behält, ihre Bytes zählen und weniger behalten.
# explorer: Violette Marken sind das, was jede Operation gespeichert hat; während backward läuft, erlöschen sie, und die violette Kurve fällt auf null.
# ---

# %% [markdown] of="590f83"
# # Was sich der Graph merkt
#
# Ein Netz läuft gut auf deinem Rechner. Dann trainierst du es, und der Speicher ist voll, mit demselben Netz und
# denselben Daten. **Wer hält all diesen Speicher, wofür, und wann lässt er los?**
#
# Die Steigung eines Sigmoids bekommt man aus seiner Eingabe oder aus seiner Ausgabe. Ziehe an `x`: Beide sind sich einig.
# Welche würdest du behalten?
#
# ```figure
# x = 1 from -5 to 5
# s = sigmoid(x)
# show aus der Ausgabe, s * (1 - s) = s * (1 - s)
# show aus der Eingabe, mit exp = exp(-x) / (1 + exp(-x)) ** 2
# ```
#
# Am Ende dieser Lektion kannst du
#
# - allein aus der Regel einer Operation sagen, was sie sich merken muss,
# - die Bytes zählen, die ein Graph hält, in jedem Augenblick,
# - eine Operation schreiben, die sich weniger merkt, und die Zeile finden, die einen Graphen ewig leben lässt.
#
# Du brauchst die Lektionen 1 und 3: Jede Operation hat eine Regel, und der Gradient eines Wertes hat dessen Form.

# %% [markdown] of="f72f60"
# ## Eine Regel fragt, ein Knoten merkt sich
#
# Die Regel von $y = a \cdot b$ sagt $\bar a = \bar y \cdot b$. Sie läuft während backward, vielleicht viel später. Also
# muss jemand `b` bis dahin aufgehoben haben. Das ist der *Knoten*: der Zettel, den minigrad für jede Operation schreibt.
# Was ein Knoten behält, sind seine **gespeicherten Tensoren**. Du kannst sie ansehen, unter ihren Namen mit `_saved_`
# davor:

# %% [markdown] of="f1ce50"
# Das Produkt hat seine beiden Faktoren gespeichert, denn jeder steht in der Regel des anderen. Tanh hat seine Ausgabe
# gespeichert, `out`, denn seine Regel ist $\bar x = \bar y (1 - y^2)$. Die Summe hat nichts gespeichert. Ihre Regel ist
# $\bar a = \bar y$, und darin steht kein Wert. **Ein Knoten merkt sich, was in seiner Regel steht, und sonst nichts.**
#
# ## Zähle es
#
# minigrad lässt dich in der Tür stehen. In einem Block `with saved_tensors_hooks(pack, unpack):` wird alles, was ein
# Knoten behalten will, zuerst deiner Funktion `pack` gereicht. Der Knoten behält, was `pack` zurückgibt. Backward reicht
# das an `unpack`, und das muss den Tensor wieder herausgeben.
#
# Also können wir zählen. Eine Zahl in `float32` hat vier Bytes: Ein Tensor mit 1.000 Zahlen hat 4.000. Auf eines musst du
# achten. Zwei Knoten können *denselben* Speicher aufheben: Das kostet nur einmal. `t.data_ptr()` ist die Adresse des
# Speichers eines Tensors, gleich für denselben Speicher.
#
# ### Aufgabe: gespeicherte Bytes
#
# Schreibe `saved_bytes(function, *inputs)`. Es ruft `function(*inputs)` auf und gibt zurück, wie viele Bytes der Graph
# deswegen behält. Das Wörterbuch `sizes` ist gegeben, der Block auch; fülle es in `pack`.

# %% [markdown] of="ec5623"
# `tensor.numel()` sagt, wie viele Zahlen er hat, und `tensor.element_size()`, wie viele Bytes jede davon hat.

# %% [markdown] of="892e48"
# Lege das Produkt der beiden in `sizes` ab, unter dem Schlüssel `tensor.data_ptr()`. Gib dann `tensor` zurück, damit der
# Knoten etwas zu behalten hat.

# %% [markdown] of="403323"
# Probiere es an ein paar Operationen, mit je 1.000 Zahlen. Sage zuerst die Zahl, dann sieh nach: Was steht in der Regel?

# %% [markdown] of="fa3c43"
# `sum` nimmt tausend Zahlen und merkt sich keine davon. Es braucht nur ihre *Form*, und die kostet nichts.

# %% [markdown] of="627bce"
# `x` verlangt einen Gradienten, und `w` sind einfache Daten ohne. Beide haben 1.000 Zahlen zu 4 Bytes. Wie viele Bytes
# speichert `x * w`?
#
# ---
# **4.000**. Die Regel für `x` fragt nach `w`. Die Regel für `w` fragt nach `x`, aber nach dieser Regel fragt nie jemand.
# Also wird `x` nicht gespeichert. Was keinen Gradienten braucht, lässt andere sich weniger merken.

# %% [markdown] of="7c7955"
# ## Ein Berg aus Speicher
#
# Eine Operation ist harmlos. Nimm nun ein Netz aus acht Schichten, eine nach der anderen, und frage, wie viel in *jedem*
# Augenblick gehalten wird. Dazu reichen wir den Knoten ein kleines Objekt anstelle des Tensors. Es zählt zu einer Summe
# hinzu, wenn es entsteht, und zieht wieder ab, wenn niemand es mehr hält.

# %% [markdown] of="8b3cc6"
# Lege den Kopf nach links, und du siehst einen Berg. Forward steigt hinauf: Mit jeder Schicht hält der Graph mehr.
# Backward geht auf der anderen Seite hinunter: Sobald ein Knoten gelaufen ist, lässt er los. Der Gipfel liegt
# dazwischen, und der Gipfel muss in deinen Speicher passen.
#
# Woher kommen 640.000 Bytes? Eine Tabelle von 100 × 100 hat 40.000 Bytes. Die Matrixprodukte halten die Daten und
# 7 Gewichte, denn das erste Produkt braucht keinen Gradienten für seine Daten. Jedes tanh hält seine Ausgabe, acht
# Tabellen; das nächste Produkt fragt nach derselben Tabelle, und sie kostet nicht noch einmal. (Und der Faktor 0,1 ist
# eine Python-Zahl, die nichts kostet.) Das macht 1 + 7 + 8 = 16 Tabellen zu 40.000 Bytes.
#
# Wenn du ein Netz nur *benutzt*, ist nichts davon nötig. Unter `no_grad` wird nichts aufgeschrieben:

# %% [markdown] of="9fc885"
# ## Die Ausgabe speichern, nicht die Eingabe
#
# Das *Sigmoid* drückt eine Zahl in den Bereich von 0 bis 1: $y = 1 / (1 + e^{-x})$. Seine Steigung ist $y (1 - y)$. Unten
# steht eine eigene Operation: `forward` rechnet, und `ctx.save_for_backward` legt weg, was `backward` haben will.
# (Lektion 8 handelt von solchen Operationen.) Sie ist richtig. Aber sieh dir an, was sie speichert.

# %% [markdown] of="59bbc5"
# Vier Tabellen: die Daten, das zweite Gewicht, die *Eingabe* des Sigmoids und seine *Ausgabe*. Die Ausgabe ist da, weil
# das zweite Produkt nach ihr fragt: Sie steht in der Regel für `second`. Die Ausgabe wird also ohnehin gemerkt, von der
# Operation, die als Nächste kommt.
#
# ### Aufgabe: die Eingabe vergessen
#
# Schreibe `FromOutput`, ein Sigmoid, das seine Ausgabe speichert. Sein backward berechnet keine Exponentialfunktion.

# %% [markdown] of="832435"
# In forward gibt es `y` schon. Speichere es anstelle von `x`, und gib es zurück.

# %% [markdown] of="8dd7db"
# In backward holt `(y,) = ctx.saved_tensors` es zurück. Achte auf das Komma: `saved_tensors` ist ein Tupel. Der Rest ist
# die letzte Zeile von `FromInput.backward`.

# %% [markdown] of="c9c898"
# Ein Viertel des Speichers ist weg, und die Exponentialfunktion in backward auch. Verloren ging nichts: Es kommen
# dieselben Steigungen heraus. Vergleiche mit dem fertigen, und mit einem Sigmoid, das aus kleinen Operationen
# zusammengesetzt ist:

# %% [markdown] of="bef91b"
# Aus kleinen Operationen zusammengesetzt, merkt sich jede das Ihre: 200.000. Auch deshalb haben Bibliotheken überhaupt
# eine Operation für das Sigmoid.
#
# ## Zweimal gefragt
#
# Ein Knoten, der gelaufen ist, lässt los. Also geht backward einmal:

# %% [markdown] of="55b6a5"
# Wenn du es zweimal brauchst, sage `retain_graph=True`: Behalte alles. Der Speicher bleibt dann voll, bis ein backward
# *ohne* diese Worte kommt oder bis niemand den Graphen mehr hält.
#
# ### Aufgabe: zwei Verluste, ein Stamm
#
# Zwei Verluste werden aus demselben `trunk` berechnet. Schreibe `both(trunk, w)`: Es gibt den Gradienten von
# `trunk.sum()` nach `w` zurück, und den Gradienten von `(trunk * trunk).sum()` nach `w`, durch zwei Aufrufe von
# `mg.autograd.grad(loss, w)`, das ein Tupel mit einem Gradienten zurückgibt. Behalte den Graphen, solange er gebraucht
# wird, und nicht länger.

# %% [markdown] of="e529f0"
# Beide backward laufen durch den Stamm. Welches der beiden muss ihn lassen, wie er ist?

# %% [markdown] of="bd1350"
# Zuerst `mg.autograd.grad(plain, w, retain_graph=True)`, dann das andere ohne diese Worte. Jedes gibt ein Tupel; nimm
# sein einziges Element.

# %% [markdown] of="e13716"
# ## Der Graph, der nie stirbt
#
# Das schreibt jeder einmal. Du willst am Ende den mittleren Verlust sehen, also addierst du die Verluste:

# %% [markdown] of="617d3e"
# `total` ist ein *Tensor*, und er wurde aus jedem Verlust gemacht. Jeder Verlust wurde aus seinem Stapel gemacht. Solange
# du `total` hältst, hältst du jeden Knoten jedes Stapels: 80.000 Bytes mehr mit jedem, bis der Speicher nach einer
# Stunde voll ist.
#
# ### Aufgabe: nur die Zahl
#
# Schreibe `mean_loss_as_number(w, batches)`. Es gibt denselben Mittelwert als Python-Zahl zurück, und danach ist kein
# Graph mehr übrig.

# %% [markdown] of="94b401"
# Welche Methode macht aus einem Tensor mit einem Element eine Python-Zahl, die sich nichts merkt?

# %% [markdown] of="4bb614"
# `total += loss.item()`. Teile am Ende durch `len(batches)`.

# %% [markdown] of="207f14"
# ## Sieh minigrad dabei zu
#
# Eine kleine Schicht mit deinem Sigmoid darin, forward und backward. (`look` beginnt in der Aufzeichnung des Explorers
# einen neuen Schritt, damit dieser Graph für sich steht.)

# %% [markdown] of="633b31"
# Sieh dir seinen Graphen an. Klicke auf der Seite der Lektion oben auf **Hier zeigen**, und der Graph
# steht neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 4` in ein Terminal: Der Browser
# öffnet sich beim neuesten Schritt, und das ist diese Schicht:
#
# 1. Drücke **home**, dann immer wieder **→**. Mit jeder Operation leuchten die violetten Marken auf, die sagen, was sie
#    gespeichert hat. Über dem Streifen unten stehen die Bytes: *saved for backward* und der *peak*.
# 2. Klicke auf **FromOutput**. Im Feld rechts listet **Für backward gespeichert** auf, was es behält, mit seiner Größe. Klicke
#    auf das zweite **Mm**. Beide nennen denselben Tensor.
# 3. Geh weiter nach backward. Sobald ein Knoten gelaufen ist, werden seine violetten Marken dunkel, und das Feld sagt
#    *released*. Die Bytes fallen, Schritt für Schritt, auf 0.
# 4. Sieh dir `x` an, das keinen Gradienten verlangt. Wer hat es gespeichert, und für wessen Regel?
# 5. Der Kasten **kein Gradient** enthält, was in deinem forward lief. Klicke darauf und drücke **e**, um ihn zu öffnen.
#    Diese Operationen haben keine violetten Marken: Von ihnen wurde nichts behalten.
#
# ## Zusammenfassung
#
# - Ein Knoten merkt sich, was in seiner Regel steht: Eingaben, seine Ausgabe oder gar nichts.
# - Der Speicher steigt in forward und fällt in backward. Der Gipfel liegt dazwischen.
# - Speichere, was auch die nächste Operation speichert, und es kostet nur einmal.
# - Ein Knoten, der gelaufen ist, lässt los. `retain_graph=True` behält alles für ein weiteres backward.
# - Wer einen Tensor mit einem Graphen hält, hält den ganzen Graphen. Für eine Zahl nimm `.item()`.
#
# ## Zwei offene Fragen
#
# 1. Angenommen, das Netz merkte sich nur jede vierte Schicht und berechnete die anderen während backward noch einmal. Wie
#    sähe der Berg aus, und was würde es kosten? (Lektion 12 macht das.)
# 2. Die Regel von relu fragt nur, ob jede Zahl über null war. Mit wie wenigen Bytes käme sie für 1.000 Zahlen aus?
#    minigrad behält 4.000: Warum könnte das trotzdem die bessere Wahl sein?

# %% [markdown] tags=["wrong"] id="saved-bytes" of="338cfe"
# Du zählst Elemente. Jedes hat `tensor.element_size()` Bytes.

# %% [markdown] tags=["wrong"] id="saved-bytes" of="4ac3d6"
# Nicht jedes Element hat 4 Bytes: In float64 sind es 8. Frage `tensor.element_size()`.

# %% [markdown] tags=["wrong"] id="saved-bytes" of="19a48d"
# Zwei Knoten, die denselben Speicher aufheben, werden zweimal gezählt. Nimm seine Adresse, `tensor.data_ptr()`, als
# Schlüssel.

# %% [markdown] tags=["wrong"] id="saved-bytes" of="45416e"
# Zwei Tensor-Objekte können denselben Speicher haben, wie es bei Ansichten ist. Der Schlüssel ist `tensor.data_ptr()`,
# nicht das Objekt.

# %% [markdown] tags=["wrong"] id="saved-bytes" of="9b0f1e"
# Du zählst die Eingaben, ob sie gespeichert werden oder nicht. Zähle in `pack`: Es wird mit dem aufgerufen, was
# gespeichert wird.

# %% [markdown] tags=["wrong"] id="saved-bytes" of="221361"
# Alle Größen kommen unter denselben Schlüssel, also zählt nur die letzte.

# %% [markdown] tags=["wrong"] id="from-output" of="9891ed"
# Es stimmt, aber es speichert immer noch die Eingabe. Speichere `y`.

# %% [markdown] tags=["wrong"] id="from-output" of="2cfd27"
# Du lässt `grad` weg, den Gradienten, der ankam.

# %% [markdown] tags=["wrong"] id="from-output" of="4ae6b6"
# Das ist die Steigung von tanh. Die Steigung des Sigmoids ist `y * (1 - y)`.

# %% [markdown] tags=["wrong"] id="from-output" of="1317a5"
# Das Vorzeichen ist falsch herum: `y * (1 - y)` ist positiv, denn das Sigmoid steigt überall.

# %% [markdown] tags=["wrong"] id="from-output" of="921e85"
# Du speicherst die Ausgabe und wendest dann in backward das Sigmoid noch einmal auf sie an.

# %% [markdown] tags=["wrong"] id="both" of="f3c4d8"
# Der Stamm ist weg, wenn das zweite backward kommt. Das erste muss ihn behalten: `retain_graph=True`.

# %% [markdown] tags=["wrong"] id="both" of="19126f"
# Beide behalten den Graphen, also wird sein Speicher nie frei. Das zweite braucht kein `retain_graph`.

# %% [markdown] tags=["wrong"] id="both" of="22f12a"
# `mg.autograd.grad` gibt ein Tupel mit einem Gradienten zurück. Nimm sein Element heraus.

# %% [markdown] tags=["wrong"] id="both" of="828675"
# `w.grad` sammelt an: Nach dem zweiten backward steht dort die Summe beider Gradienten.

# %% [markdown] tags=["wrong"] id="both" of="7d2cd4"
# Die beiden Gradienten sind vertauscht: zuerst der von `trunk.sum()`.

# %% [markdown] tags=["wrong"] id="just-the-number" of="a505f1"
# Das ist ein Tensor, und dahinter steht jeder Graph. Nimm von jedem Verlust `.item()`.

# %% [markdown] tags=["wrong"] id="just-the-number" of="c30f31"
# Du nimmst die Zahl erst am Ende. Bis dahin werden alle Graphen gehalten: Nimm von jedem Verlust `.item()`.

# %% [markdown] tags=["wrong"] id="just-the-number" of="d7fc0d"
# Das ist die Summe. Für den Mittelwert teile durch die Zahl der Stapel.

# %% [markdown] tags=["wrong"] id="just-the-number" of="581b97"
# Das ist der Verlust des letzten Stapels. Addiere sie: `+=`.

# %% [markdown] tags=["wrong"] id="just-the-number" of="2948ca"
# Das `return` steht in der Schleife, also zählt nur der erste Stapel.

# %% [markdown] tags=["check"] id="from-output" of="30695b"
# die Steigung von `FromOutput.apply(x)` bei x = {at}

# %% [markdown] tags=["check"] id="from-output" of="c586b5"
# der Gradient bei x = {start} der Summe von `FromOutput.apply(x)` mal {weights}

# %% [markdown] tags=["check"] id="from-output" of="5f6d4a"
# wie viele Bytes die Schicht mit `FromOutput` darin behält

# %% [markdown] tags=["check"] id="from-output" of="c33330"
# welche Operationen im backward von `FromOutput` laufen

# %% [markdown] tags=["check"] id="both" of="507da6"
# `both(trunk, w)` für trunk = exp(w) bei w = {start}

# %% [markdown] tags=["check"] id="both" of="da97b5"
# wie viele Bytes der Graph nach `both` noch behält

# %% [markdown] tags=["check"] id="just-the-number" of="d93d4f"
# `mean_loss_as_number(w, batches)` für w = {start}, und davon auch `type`

# %% [markdown] tags=["check"] id="just-the-number" of="055e2a"
# wie viele Bytes die Graphen höchstens behalten, und wie viele am Ende, bei 20 Stapeln zu 80.000 Bytes

# %% [markdown] tags=["check"] id="just-the-number" of="88f89e"
# {most} Bytes auf dem Gipfel

# %% [markdown] tags=["check"] id="just-the-number" of="4d214c"
# {left} Bytes werden für immer behalten

# %% [markdown] tags=["check"] id="just-the-number" of="fd8890"
# höchstens 240.000 Bytes, und am Ende 0

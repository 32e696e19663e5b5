# ---
# title: Die Vergangenheit ändern
# goal: Wissen, wann ein Tensor an Ort und Stelle geändert werden darf, den Fehler lesen, wenn nicht, und die Prüfung dahinter schreiben.
# explorer: Die rote Linie führt von der Operation, die y geändert hat, zu der, die es gespeichert hatte; die Abzeichen zählen die Versionen.
# ---

# %% [markdown] of="89d349"
# # Die Vergangenheit ändern
#
# Früher oder später begegnet jeder dieser Meldung: *one of the variables needed for gradient computation has been
# modified by an inplace operation* (eine Variable, die für die Gradienten gebraucht wird, wurde an Ort und Stelle
# geändert). **Was ist falsch daran, eine Zahl zu ändern, und wie hat das jemand bemerkt?**
#
# Eine Regel sieht sich `x` auf dem Rückweg noch einmal an. Ändere `x` dazwischen um `change`, und sieh, welche Steigung
# sie berechnet.
#
# ```figure
# x = 1.5 from -1 to 3
# change = 0.5 from -1 to 1
# y = x * x
# show die Steigung = slope
# show was backward berechnen würde = 2 * (x + change)
# ```
#
# Am Ende dieser Lektion kannst du
#
# - diese Meldung Wort für Wort lesen und die beiden Zeilen finden, die sich streiten,
# - die Prüfung schreiben, von der sie kommt,
# - die drei Stellen reparieren, an denen sie am häufigsten entsteht.
#
# Du brauchst Lektion 4: Ein Knoten speichert, was in seiner Regel steht.

# %% [markdown] of="995177"
# ## Zwei Arten, eins zu addieren
#
# Diese beiden Zeilen sehen gleich aus.
#
# - `y = y + 1` berechnet einen *neuen* Tensor und nennt ihn `y`. Der alte ist noch, was er war.
# - `y += 1` schreibt in den Speicher, der schon da ist. Die alten Zahlen sind weg. Das heißt *an Ort und Stelle*. So tun
#   es auch `y[0] = 5` und alle Methoden, deren Name mit einem Unterstrich endet, etwa `y.mul_(2)`.

# %% [markdown] of="fd7c89"
# Die Regel von exp ist $\bar x = \bar y \cdot y$. Ihr Knoten hat `y` gespeichert, die Ausgabe. Dann hat `y += 1` es
# geändert. Wenn der Knoten wieder hinsieht, findet er 3,7183, wo er 2,7183 gelassen hatte. Die Steigung wäre um 1 falsch.
#
# Lies die Meldung nun von links nach rechts:
#
# | es sagt | es bedeutet |
# | --- | --- |
# | `[minigrad.FloatTensor [2]]` | zwei Zahlen in float32: Das ist der Tensor, der geändert wurde |
# | `output 0 of ExpBackward0` | wer ihn gemacht hatte: exp |
# | `is at version 1; expected version 0` | er wurde einmal geändert, seit er gespeichert wurde |
# | `ExpBackward0 saved it as 'out'` | wer ihn so braucht, wie er war: wieder exp, für seine eigene Regel |
#
# Sie sagt nicht, *welche Zeile* ihn geändert hat. Der Explorer sagt es; sieh dazu das Ende dieser Lektion.
#
# ## Versionen
#
# Wie hat minigrad das bemerkt? Vergleicht es alle Zahlen? Das wäre langsam. Es zählt. Jedes Stück Speicher hat einen
# Zähler, seine **Version**. Sie beginnt bei 0, und jede Änderung an Ort und Stelle addiert 1.

# %% [markdown] of="2dd1a1"
# Ein Knoten, der einen Tensor speichert, notiert daneben die Version. Wenn backward ihn wieder herausholt, vergleicht es
# zwei ganze Zahlen. Das ist die ganze Prüfung.
#
# ### Aufgabe: die Prüfung
#
# Schreibe die Klasse `Note`, die tut, was ein Knoten tut. `Note(tensor)` speichert einen Tensor und seine Version.
# `get()` gibt den Tensor zurück. Wurde aber seitdem hineingeschrieben, und seien es
# dieselben Zahlen, so wirft `get()` einen `RuntimeError`, dessen Text
# `is at version 1; expected version 0` ist, mit den beiden Versionen anstelle von 1 und 0.

# %% [markdown] of="b2b0ef"
# `self.version` ist, was die Version war. Was ist sie jetzt?

# %% [markdown] of="53fe86"
# Wenn `self.tensor._version != self.version`, dann
# `raise RuntimeError(f"is at version {self.tensor._version}; expected version {self.version}")`. Sonst gib den Tensor
# zurück.

# %% [markdown] of="b712b1"
# ## Ansichten: zwei Namen für einen Speicher
#
# Die letzte Prüfung war sonderbar. Sie änderte einen *anderen* Tensor, den umgeformten, und doch hat deine Note es
# gesehen.
#
# Umformen kopiert nicht. Auch `x[0]`, `x[1:3]`, `x.mT` oder `x.view(...)` nicht. Sie geben eine **Ansicht** (view): einen
# eigenen Tensor mit eigener Form, der auf denselben Speicher sieht. Wer durch den einen schreibt, ändert den anderen. Und
# da der Zähler zum Speicher gehört, teilen ihn alle Ansichten.

# %% [markdown] of="044b76"
# `row` wird jetzt an Ort und Stelle mit 10 multipliziert. Welche Zahl steht am Ende von `column`?
#
# ---
# **40**. `column` ist die zweite Spalte, [2, 4]; ihre 4 liegt auch in der zweiten Zeile. Es ist dieselbe Stelle im
# Speicher. Und alle drei, die Tabelle und ihre zwei Ansichten, sind jetzt bei Version 1. Die Kopie hat eigenen Speicher.

# %% [markdown] of="921fbb"
# Was macht backward daraus? Es stimmt weiterhin. Hier ist `x` gleich `2 * w`. Eine Ansicht von `x` wird geändert. Das
# ändert `x`, also schreibt minigrad die Geschichte von `x` um:

# %% [markdown] of="76e5de"
# `x` wurde von einem Produkt gemacht; jetzt sagt es, dass **CopySlices** es gemacht hat: das alte `x`, von dem ein
# Ausschnitt durch etwas Neues ersetzt ist. Die Gradienten folgen dem: 20 für die Zahl, die durch beide Produkte ging, und
# 2 für die andere. Einen Tensor an Ort und Stelle zu ändern ist also *nicht* verboten. Backward stimmt, solange **niemand
# die alten Zahlen gespeichert hatte**. Und wenn doch, so gibt es einen Fehler und kein falsches Ergebnis.
#
# ## Hinter seinem Rücken
#
# Es gibt einen Weg um die Prüfung herum. `.data` gibt dir den Speicher mit einem eigenen Zähler. Du findest es in alten
# Programmen, oft als `w.data -= ...`. Angenommen, wir haben einen Verlust berechnet, und jemand leert `y`, um seinen
# Speicher wieder zu benutzen:

# %% [markdown] of="60d527"
# Die Regel des Sigmoids ist $\bar x = \bar y \cdot y (1 - y)$, aus seiner gespeicherten Ausgabe. Welchen Gradienten
# bekommt `w` jetzt?
#
# ---
# **0**. Die gespeicherte Ausgabe ist jetzt 0, und 3 · 0 · (1 − 0) = 0. Richtig wäre 0,5898. Es gibt keinen Fehler und
# keine Warnung: Ein Netz würde einfach nicht lernen, und du würdest tagelang suchen.

# %% [markdown] of="e92e2c"
# Benutze also `.data` nicht. `.detach()` gibt dieselben Zahlen ohne Graphen, und es *teilt den Zähler*. Wenn du
# vermutest, dass etwas hinter deinem Rücken schreibt (zum Beispiel NumPy auf demselben Speicher), schalte
# `set_detect_anomaly` ein. Es sieht sich die Zahlen selbst an, also ist es langsam, aber es sieht alles:

# %% [markdown] of="eebd27"
# ## Drei Reparaturen
#
# Jede der nächsten drei Aufgaben gibt dir ein Programm, das scheitert, so wie es oft geschrieben wird. Sieh zuerst, was
# es sagt. Frage dann: *Wer hatte es gespeichert, und warum?*
#
# ### Aufgabe: ein Tor
#
# `gate` drückt seine Eingabe durch ein Sigmoid, macht sie etwas größer und schneidet ab, was über 1 ist. Schreibe
# `good_gate`. Es berechnet dasselbe, und backward geht. Ändere so wenig wie möglich.

# %% [markdown] of="408541"
# SigmoidBackward0 hatte `y` gespeichert, seine Ausgabe. Welche Zeile überschreibt es zuerst?

# %% [markdown] of="3c8f3c"
# `y = y * 1.2` macht einen neuen Tensor. Dann ist `y.clamp(max=1.0)`, ohne den Unterstrich, in jedem Fall sicher.
# (Wie ist es mit `clamp_` nach dem Produkt? Probiere es, und sieh dir die erste offene Frage an.)

# %% [markdown] of="dd3667"
# ### Aufgabe: ein Schritt
#
# Ein Netz lernt, indem es seine Gewichte ändert, und Gewichte sind Blätter: Keine Operation hat sie gemacht. Ein Blatt an
# Ort und Stelle zu ändern ist ein eigener Fehler, ob es jemand gespeichert hat oder nicht. Wie ließe sich die Änderung in
# den Graphen schreiben? `w` nach dem Schritt wäre aus dem `w` davor gemacht, und so wäre es kein Blatt mehr.

# %% [markdown] of="8b6ee5"
# Schreibe `good_step`. Es ändert `w` selbst, an Ort und Stelle, und gibt nichts zurück. Die Änderung ist kein Teil des
# Programms, das man ableiten will. Sage also, dass niemand sie aufzuschreiben braucht.

# %% [markdown] of="a1ca24"
# Die Meldung sagt es: `Change it under no_grad()`.

# %% [markdown] of="619f64"
# Dieselbe Zeile wie in `step`, in einem Block `with mg.no_grad():`.

# %% [markdown] of="73b798"
# ### Aufgabe: eine Tabelle von Zuständen
#
# Ein rekurrentes Netz berechnet jeden Zustand aus dem davor. In NumPy würde man eine Tabelle anlegen und füllen:

# %% [markdown] of="29951b"
# Das Produkt speichert `table[t]`, für die Regel von `w`. Das ist eine *Ansicht*: Sie teilt den Zähler mit der ganzen
# Tabelle. Die nächste Zeile schreibt an eine *andere* Stelle der Tabelle. Die gespeicherten Zahlen haben sich gar nicht
# geändert! Aber der Zähler kennt keine Stellen. Er ist vorsichtig: Er meldet vielleicht einen Fehler, wo kein Schaden
# ist, aber nie umgekehrt.
#
# Schreibe `good_states`, das dasselbe berechnet, ohne eine Tabelle, in die es schreibt. `mg.stack` macht aus einer Liste
# von Tensoren einen Tensor.

# %% [markdown] of="d1a7d4"
# Halte die Zustände in einer Python-Liste. Sie beginnt mit dem ersten Zustand.

# %% [markdown] of="f60714"
# In der Schleife: `state = mg.tanh(state * w)`, dann hänge es an. Jeder Zustand ist ein eigener Tensor, und niemand
# überschreibt ihn. Am Ende `mg.stack(states)`.

# %% [markdown] of="9dec60"
# ## Wann es gut ist
#
# An Ort und Stelle ist keine Sünde. Es spart Speicher, und es stimmt, wo niemand die alten Zahlen gespeichert hatte. Ein
# Matrixprodukt speichert seine *Eingaben*; also darf seine Ausgabe geändert werden. Die Regel von relu fragt nur nach
# ihrer Ausgabe; also darf relu seine Eingabe überschreiben:

# %% [markdown] of="2d5607"
# Die Faustregel: Schreibe immer in einen neuen Tensor. Wird der Speicher knapp, so sieh dir die Zeile an und frage, wer
# was gespeichert hat. Rätst du falsch, so sagt es dir der Zähler.
#
# ## Sieh minigrad dabei zu
#
# Noch einmal der erste Fehler, damit man ihn sehen kann. (`look` beginnt in der Aufzeichnung des Explorers einen neuen
# Schritt, damit dieser Graph für sich steht.)

# %% [markdown] of="2aa37b"
# Sieh dir seinen Graphen an. Klicke auf der Seite der Lektion oben auf **Hier zeigen**, und der Graph
# steht neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 5` in ein Terminal: Der Browser
# öffnet sich beim neuesten Schritt, und das ist dieser:
#
# 1. Eine rote Linie führt von der Operation, die `y` geändert hat, zu **Exp**, das es gespeichert hatte. Der Balken
#    darunter sagt, welche *Zeilen* sich streiten: die, die v0 gespeichert, und die, die v1 daraus gemacht hat. Beide sind
#    links im Quelltext markiert.
# 2. Drücke **home**, dann **→**. Wenn Exp läuft, speichert es seine Ausgabe, und die violette Marke `out` sagt es. Eine
#    Operation später sagt das Abzeichen **v1**, und Exp ist rot gerahmt und sagt **stale**. Der Fehler ist zu sehen,
#    *bevor* backward beginnt.
# 3. Klicke auf **Exp**. Unter **Für backward gespeichert** steht *veraltet: jetzt ist es v1*. Das ist, was deine `Note` sagt.
# 4. Drücke **n**. Wo du auch bist, das führt zum Ersten, was schiefging.
#
# ## Zusammenfassung
#
# - Eine Änderung an Ort und Stelle überschreibt die alten Zahlen. Vielleicht hat ein Knoten sie für seine Regel
#   gespeichert.
# - Jedes Stück Speicher zählt seine Änderungen: seine Version. Ansichten teilen Speicher und Zähler.
# - Ein Knoten notiert die Version, wenn er speichert, und vergleicht, wenn er wieder herausholt. Sind sie verschieden, so
#   ist es ein Fehler, nie ein falsches Ergebnis.
# - `.data` geht um die Prüfung herum, und dann *ist* das Ergebnis falsch.
# - Die drei Reparaturen: in einen neuen Tensor rechnen; Blätter unter `no_grad()` ändern; in einer Liste sammeln und
#   stapeln.
#
# ## Zwei offene Fragen
#
# 1. Darf in `good_gate` `clamp_` nach dem Produkt stehen? Was speichert das Produkt mit einer Konstanten, und was muss
#    die Regel von clamp wissen? Probiere es.
# 2. Der Zähler gehört zum ganzen Speicher, also war `good_states` nötig, obwohl sich keine gespeicherte Zahl geändert
#    hatte. Was würde es kosten, für jedes Element zu zählen?

# %% [markdown] tags=["wrong"] id="note" of="42fdcd"
# In den Tensor wurde geschrieben, und es gab keinen Fehler. Ist seine Version nicht die, die du notiert hast, so wirf
# einen RuntimeError.

# %% [markdown] tags=["wrong"] id="note" of="bed6fd"
# Die beiden Versionen sind vertauscht: zuerst die jetzige, dann die erwartete.

# %% [markdown] tags=["wrong"] id="note" of="2b124f"
# Du wirfst den Fehler, wenn nichts geändert wurde. Es ist umgekehrt: `!=`.

# %% [markdown] tags=["wrong"] id="note" of="cfdcdb"
# Ein Tensor muss nicht bei Version 0 sein, wenn er gespeichert wird. Vergleiche mit `self.version`.

# %% [markdown] tags=["wrong"] id="note" of="f1447c"
# Du gibst den Fehler zurück. Wirf ihn: `raise RuntimeError(...)`, ohne `return`.

# %% [markdown] tags=["wrong"] id="note" of="785216"
# Du gibst eine Kopie zurück. Ein Knoten gibt den Tensor selbst heraus.

# %% [markdown] tags=["wrong"] id="note" of="56f450"
# Im Satz stehen die Versionen eines Beispiels. Setze die dieses Tensors ein.

# %% [markdown] tags=["wrong"] id="gate" of="7c4b7d"
# `y *= 1.2` überschreibt immer noch, was das Sigmoid gespeichert hat. Berechne einen neuen Tensor: `y = y * 1.2`.

# %% [markdown] tags=["wrong"] id="gate" of="cd9c24"
# `.detach()` beseitigt den Fehler, und mit ihm den Gradienten: Zu `x` kommt nichts zurück.

# %% [markdown] tags=["wrong"] id="gate" of="3d34dd"
# Was herauskommt, ist über 1. Mache es zuerst größer, und schneide dann ab: Die Grenze kommt zuletzt.

# %% [markdown] tags=["wrong"] id="gate" of="aa60c7"
# Der Faktor fehlt: `y * 1.2`.

# %% [markdown] tags=["wrong"] id="gate" of="448004"
# Das Tor hat eine obere Grenze: `max=1.0`, nicht `min=1.0`.

# %% [markdown] tags=["wrong"] id="step" of="db78ba"
# Das macht einen anderen Tensor, und das `w` draußen bleibt, wo es war. Ändere es an Ort und Stelle: `w -= ...`.

# %% [markdown] tags=["wrong"] id="step" of="f0a0a1"
# Ein Blatt, das einen Gradienten verlangt, darf nur geändert werden, wo nichts aufgeschrieben wird: `with
# mg.no_grad():`.

# %% [markdown] tags=["wrong"] id="step" of="0ca176"
# Du gehst die Steigung hinauf. Gehe gegen sie: `-=`.

# %% [markdown] tags=["wrong"] id="step" of="45e212"
# Die Rate fehlt: `rate * w.grad`.

# %% [markdown] tags=["wrong"] id="step" of="4be3a9"
# Danach verlangt `w` keinen Gradienten mehr. Lass es, wie es ist, und benutze `mg.no_grad()`.

# %% [markdown] tags=["wrong"] id="states" of="d3a3fd"
# In der Liste fehlt der erste Zustand.

# %% [markdown] tags=["wrong"] id="states" of="6c9257"
# In die Tabelle wird wieder geschrieben: `states` muss eine Python-Liste sein, die am Ende gestapelt wird.

# %% [markdown] tags=["wrong"] id="states" of="237580"
# Die Zustände verlieren auf dem Weg in die Liste ihren Graphen, also kommt kein Gradient zu `w` zurück.

# %% [markdown] tags=["wrong"] id="states" of="042cfd"
# Das ist ein Zustand zu viel: der erste, und dann `steps` weitere.

# %% [markdown] tags=["wrong"] id="states" of="51ab82"
# Das ist eine Liste. Mache mit `mg.stack` einen Tensor daraus.

# %% [markdown] tags=["wrong"] id="states" of="80ff7a"
# Jeder Zustand wird aus dem davor berechnet. Du berechnest alle aus dem ersten.

# %% [markdown] tags=["wrong"] id="note" of="b9a938"
# Du vergleichst die Zahlen. Sie können dieselben und doch neu geschrieben sein: Vergleiche die Versionen.

# %% [markdown] tags=["wrong"] id="note" of="8e6075"
# Du gibst den Text zurück. Wirf einen RuntimeError, der ihn sagt.

# %% [markdown] tags=["wrong"] id="gate" of="05435b"
# `.data` verbirgt die Änderung vor der Prüfung, also rechnet backward mit den geänderten Zahlen. Mache stattdessen neue
# Tensoren.

# %% [markdown] tags=["wrong"] id="states" of="35bb65"
# Das `tanh` fehlt.

# %% [markdown] tags=["check"] id="note" of="f8b443"
# ändert nichts

# %% [markdown] tags=["check"] id="note" of="a775dc"
# addiert 1 zu einer Kopie davon

# %% [markdown] tags=["check"] id="note" of="41aabd"
# berechnet tensor + 1 und lässt ihn, wie er ist

# %% [markdown] tags=["check"] id="note" of="18316c"
# tensor += 1

# %% [markdown] tags=["check"] id="note" of="e95174"
# tensor.mul_(1.0)

# %% [markdown] tags=["check"] id="note" of="e76b6b"
# tensor.mul_(2).mul_(2)

# %% [markdown] tags=["check"] id="note" of="878274"
# tensor.reshape(3, 1)[0] = 9.0

# %% [markdown] tags=["check"] id="note" of="4b1b28"
# was `Note(tensor).get()` gibt oder wirft, für einen Tensor, der vorher {before}-mal geändert wurde, nach `{change}`

# %% [markdown] tags=["check"] id="note" of="646140"
# ob `Note(tensor).get()` den Tensor selbst gibt, keine Kopie

# %% [markdown] tags=["check"] id="gate" of="325987"
# der Gradient bei x = {start} der Summe von `good_gate(x)` mal {weights}

# %% [markdown] tags=["check"] id="step" of="8aa29f"
# das Blatt w nach drei Aufrufen von `good_step(w, {rate})` für den Verlust w * w, von {start} aus; ob es ein Blatt ist
# und einen Gradienten verlangt

# %% [markdown] tags=["check"] id="states" of="affcf4"
# die Steigung von `good_states(w, 1.0, {steps}).sum()` bei w = {at}

# %% [markdown] tags=["check"] id="states" of="17e7e5"
# `good_states(w, {start}, {steps})` bei w = {at}

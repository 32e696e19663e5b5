# ---
# title: Eine Gerade, die lernt
# goal: Gradientenabstieg von Hand schreiben, einen Stapel teilen, ohne das Ergebnis zu ändern, und ein vergessenes zero_grad ertappen.
# explorer: Zwei backwards addieren sich in w.grad und b.grad. Was unter no_grad lief, hat einen eigenen Kasten.
# ---

# %% [markdown] of="1c5955"
# # Eine Gerade, die lernt
#
# Hier sind zwanzig Punkte, die fast auf einer Geraden liegen. Du könntest ein Lineal hindurchlegen. **Wie findet ein
# Programm die Gerade, wenn es nichts kann, als nach Steigungen zu fragen?**
#
# Der Fehler einer Geraden mit der Steigung `w`. Der Ring ist, wohin ein Schritt gegen die Steigung führt. Ziehe an
# `rate`: Wann ist ein Schritt zu lang?
#
# ```figure
# w = 0.5 from -1 to 4
# rate = 0.1 from 0 to 0.6
# error = (2 * w - 3) ** 2
# mark w - rate * slope
# show Steigung = slope
# show w nach dem Schritt = w - rate * slope
# ```
#
# Am Ende dieser Lektion kannst du
#
# - die Schleife schreiben, die eine Gerade trainiert, und mit denselben fünf Zeilen jedes Netz,
# - sagen, wozu `zero_grad` und `no_grad` da sind, und ein Programm erkennen, in dem eines davon fehlt,
# - mit einem Stapel trainieren, der nicht in deinen Speicher passt.
#
# Du brauchst die Lektionen 1 und 3. Zweierlei kommt aus Lektionen dazwischen und wird hier noch einmal gesagt: Ein zweites
# backward *addiert* zu `.grad`, und ein Blatt darf nur unter `no_grad()` an Ort und Stelle geändert werden.

# %% [markdown] of="1646fd"
# ## Wie falsch ist eine Gerade?
#
# Eine Gerade besteht aus zwei Zahlen: wie steil sie ist, `w`, und wie hoch sie bei 0 ist, `b`. An jedem Punkt sagt die
# Gerade $w \cdot x + b$, und der Punkt sagt $y$. Nimm die Differenz, quadriere sie, und nimm den Mittelwert über alle
# Punkte: den **Verlust** (loss). Er ist groß für eine schlechte Gerade, und 0 nur für eine, die jeden Punkt trifft.

# %% [markdown] of="0bbfbb"
# Wir begannen mit einer flachen Geraden bei 0. Die Steigungen sagen: Wächst `w`, so fällt der Verlust; wächst `b`, so
# steigt er. Bewege also jedes von ihnen ein wenig gegen seine Steigung. Das ist alles:
#
# > **Gradientenabstieg**: $w \leftarrow w - \text{rate} \cdot \bar w$, und noch einmal, und noch einmal.
#
# Der Schritt darf nicht in den Graphen geschrieben werden; er ist kein Teil der Geraden. Und `w` ist ein Blatt, das nur
# dort geändert werden darf, wo niemand etwas aufschreibt (Lektion 5). Beides sagt: Tue es in einem Block
# `with mg.no_grad():`.
#
# ### Aufgabe: absteigen
#
# Schreibe `descend(w, b, x, y, steps, rate)`. In jedem Schritt: Berechne den Verlust, gehe rückwärts, bewege `w` und `b`
# unter `no_grad()` an Ort und Stelle, und lösche beide Gradienten (`w.grad = None`) für den nächsten Schritt. Es gibt
# nichts zurück. Es ändert `w` und `b`.

# %% [markdown] of="45410d"
# Vier Zeilen: `loss_of(...)` und `backward()`, dann der Block mit `no_grad()`, darin `w -= ...` und `b -= ...`, und dann
# werden die Gradienten auf `None` gesetzt.

# %% [markdown] of="ad1fda"
# Im Block: `w -= rate * w.grad`. Schreibe `-=`: Mit `w = w - ...` würdest du einen neuen Tensor machen, und das `w`, das
# dir gegeben wurde, bliebe, wo es war.

# %% [markdown] of="87defc"
# Die Gerade geht an ihren Platz und bleibt dort. Ist es die beste? Für eine Gerade gibt es dafür eine Formel, die *kleinsten
# Quadrate*, die keine Schritte braucht:

# %% [markdown] of="0bb9b6"
# Dieselbe. Wozu dann überhaupt Schritte? Weil es für eine Gerade eine Formel gibt, für ein Netz aber keine. Die Schleife
# ist für beide dieselbe.
#
# ## Was sich anhäuft
#
# Lektion 2 sagte, dass ein zweites backward zu `.grad` *addiert*. Was, wenn niemand es löscht?

# %% [markdown] of="f87657"
# Der Verlust ist `10 * v`, also ist seine Steigung immer 10. Drei backwards laufen, und niemand löscht `v.grad`. Wie groß
# ist es dann?
#
# ---
# **30**: 10 und 10 und 10.

# %% [markdown] of="614534"
# Sie schwingt, und sie kommt nicht zur Ruhe. Jeder Schritt folgt der Summe *aller* Gradienten seit dem Anfang. Wenn die
# Gerade an ihrem besten Platz ist, ist diese Summe groß, also schießt sie weiter. Sie ist ein Pendel ohne Reibung.
#
# Das Tückische daran: Zuerst fällt der Verlust. Wer nach zehn Schritten aufhört, ist zufrieden.
#
# ### Aufgabe: der Detektor
#
# Drei Kolleginnen und Kollegen haben je einen Trainingsschritt geschrieben. Jeder nimmt eine Liste von Parametern (Blätter)
# und eine Verlustfunktion und macht einen Schritt. Einer von ihnen vergisst, etwas zu löschen. Schreibe `piles_up(step)`,
# das es durch Probieren herausfindet, ohne den Code zu lesen.
#
# Die Parameter sind gegeben, und der Verlust auch. Seine Steigungen sind 2 und 5, wo du auch bist. Rufe
# `step(parameters, loss)` zweimal auf. Gib dann eine Liste mit den Nummern (0 oder 1) derjenigen Parameter zurück, deren
# zweiter Schritt länger war als der erste.

# %% [markdown] of="8449ee"
# Notiere nach dem ersten Aufruf, wo jeder Parameter ist: `parameter.item()`. Nach dem zweiten Aufruf auch. Sie begannen
# bei 0.

# %% [markdown] of="ac329a"
# Die Steigungen sind überall gleich, also sollten beide Schritte gleich lang sein. Wo sich ein Gradient angehäuft hat, ist
# der zweite doppelt so lang. Vergleiche mit dem 1,5-fachen des ersten, denn Zahlen in float32 sind gerundet.

# %% [markdown] of="ce994c"
# Es war Ben. Er löscht, was er bewegt hat, und doch häufen sich seine Gradienten an. Er geht für *jeden* Parameter einmal
# rückwärts, und jedes backward erreicht *alle*: Während er den zweiten bewegt, sammelt sich beim ersten etwas Neues an.
#
# Cleo schreibt es, wie man es überall schreibt: `zero_grad`, backward, `step`. Die Reihenfolge dieser drei auswendig zu
# lernen lohnt sich.
#
# ## Mit Absicht anhäufen
#
# Ein Stapel von 1.000 Beispielen passt nicht in deinen Speicher; 250 passen. Erinnere dich an den Berg aus Lektion 4:
# Seine Höhe wächst mit dem Stapel. Gehe also viermal mit 250 Beispielen rückwärts, lösche dazwischen nichts, und mache
# einen Schritt. Die Gradienten addieren sich von selbst; deshalb tun sie es.
#
# Ist die Summe der Gradient des ganzen Stapels? Fast.

# %% [markdown] of="c11ac8"
# Der Verlust ist ein *Mittelwert* über die Beispiele. Vier gleich große Teile, jeder mit seinem eigenen Mittelwert, gehen
# nacheinander rückwärts. Wie viel mal so groß wie der Gradient des ganzen Stapels ist, was sich angehäuft hat?
#
# ---
# **4**-mal. Der Mittelwert von allen ist der Mittelwert der vier Mittelwerte, und angehäuft hat sich ihre Summe.

# %% [markdown] of="0a71e5"
# ### Aufgabe: kleine Stapel
#
# Schreibe `micro_batches(w, b, x, y, size)`. Es geht `x` und `y` in Teilen von höchstens `size` Beispielen durch und geht
# für jeden rückwärts. Danach sind `w.grad` und `b.grad` die eines großen Stapels, bis auf die letzten Stellen. Der letzte
# Teil kann kleiner sein als die anderen. Wie viel soll er wiegen?

# %% [markdown] of="a2f282"
# Der Verlust jedes Teils ist ein Mittelwert über diesen Teil. Im Mittelwert über alle zählt ein Teil so viel, wie er
# Beispiele hat.

# %% [markdown] of="15ede8"
# Multipliziere den Verlust des Teils mit `len(part_of_x) / len(x)`, bevor du rückwärts gehst. Bei vier gleichen Teilen ist
# das ein Viertel, aber der letzte kann weniger haben.

# %% [markdown] of="9a648b"
# Teile von 8 sind 8, 8 und 4. Wer durch die Zahl der Teile teilt, durch 3, zählt die letzten vier Punkte doppelt so stark
# wie die anderen. Wie falsch ist das?

# %% [markdown] of="d51800"
# Um mehr als ein Viertel, und es gibt keinen Fehler: Das Netz lernt etwas schlechter, und niemand bemerkt es.
#
# ## Mit etwas Anlauf
#
# Das Pendel hatte etwas Gutes: Es war schnell. Gib ihm Reibung, und es kommt zur Ruhe. Das ist **Impuls** (momentum). Der
# Optimierer führt für jeden Parameter eine Geschwindigkeit. In jedem Schritt verliert sie einen Teil, und der Gradient
# kommt hinzu:
#
# $$v \leftarrow \mu v + \bar w \qquad\qquad w \leftarrow w - \text{rate} \cdot v$$
#
# Mit $\mu = 0$ ist das der einfache Abstieg, und mit $\mu = 1$ das Pendel.
#
# ### Aufgabe: dein eigener Optimierer
#
# Schreibe die Methode `step` von `Descent`. `self.speeds` hat für jeden Parameter einen Tensor, anfangs Nullen. Ändere die
# Parameter und die Geschwindigkeiten an Ort und Stelle.

# %% [markdown] of="9281ee"
# Alles in einem Block `with mg.no_grad():`. Erst die Geschwindigkeit, dann der Parameter.

# %% [markdown] of="16ab55"
# `speed.mul_(self.momentum)` und `speed.add_(parameter.grad)` ändern den Tensor, der in der Liste steht. `speed = ...`
# würde einen neuen machen und sofort vergessen.

# %% [markdown] of="15dee2"
# Das war `mg.optim.SGD`, bis auf die letzten Stellen. Die Buchstaben stehen für *stochastic gradient descent*: Man folgt
# dem Gradienten eines zufällig gezogenen Stapels, nicht dem aller Daten.
#
# ## Sieh zu, wie minigrad es macht
#
# Ein Schritt mit zwei kleinen Stapeln, und dann ein Blick darauf, wie gut die Gerade geworden ist. Nichts an diesem Blick
# braucht einen Gradienten. (`look` beginnt in der Aufzeichnung einen neuen Schritt, damit dieser Graph für sich steht.)

# %% [markdown] of="718e00"
# Sieh dir ihren Graphen an. Drücke auf der Seite der Lektion oben **Hier zeigen**, und der Graph steht
# neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 6` in ein Terminal: Der Browser öffnet
# sich beim neuesten Schritt, und das ist dieser:
#
# 1. Klicke auf `w`. Das Feld rechts hat zwei Gruppen: *backward 1* und *backward 2: zu dem addiert,
#    was da war*. Bei einem vergessenen `zero_grad` sähest du dasselbe, von einem Trainingsschritt zum nächsten.
# 2. Der Kasten **kein Gradient** enthält, was unter `no_grad()` lief: den Schritt selbst und den letzten Verlust. Klicke
#    darauf und drücke **e**, um ihn zu öffnen. Diese Operationen sind *nicht im Graph*: Sie haben gerechnet, aber kein
#    Gradient geht dorthin zurück, und nichts wurde aufbewahrt.
# 3. Klicke auf `w` und dann **g**: Nur der Weg des Gradienten zwischen `w` und dem Verlust bleibt übrig.
# 4. Gehe mit **[** zurück zu den Schritten deines Trainings. Auf der eigenen Seite des Explorers (**Im Explorer öffnen**)
#    gibt es eine Kurve von ihnen allen, **Verlust**, unter dem Quelltext. Erkennst du das Pendel unter
#    den anderen?
#
# ## Zusammenfassung
#
# - Training ist eine Schleife: löschen, vorwärts, rückwärts, Schritt. Der Schritt geht gegen die Steigung, unter
#   `no_grad()`.
# - Ein Blatt wird an Ort und Stelle geändert. `w = w - ...` würde einen anderen Tensor machen.
# - Was nicht gelöscht wird, häuft sich an, und der Abstieg wird zu einem Pendel, das nie ruht.
# - Mit Absicht angehäuft wird aus vielen kleinen Stapeln ein großer, wenn jeder Teil nach seinem Anteil gewogen wird.
# - Impuls ist das Pendel mit Reibung.
#
# ## Zwei offene Fragen
#
# 1. Probiere `descend` mit einer Rate von 0.9, 1.0 und 1.1. Was geschieht, und wie hättest du es vorher wissen können?
#    (Lektion 10 beantwortet das mit der Steigung der Steigung.)
# 2. `micro_batches` ergibt dieselben Gradienten „bis auf die letzten Stellen“, nicht genau. Wo unterscheiden sich die
#    letzten Stellen, und kommt es darauf an?

# %% [markdown] tags=["wrong"] id="descend" of="f3dad2"
# Die Gradienten werden nie gelöscht, also folgt jeder Schritt der Summe aller bisherigen.

# %% [markdown] tags=["wrong"] id="descend" of="0ca176"
# Du gehst die Steigung hinauf. Gehe gegen sie: `-=`.

# %% [markdown] tags=["wrong"] id="descend" of="0aa42b"
# `w = w - ...` macht einen neuen Tensor, und der, der dir gegeben wurde, bleibt, wo er war. Schreibe `w -= ...`.

# %% [markdown] tags=["wrong"] id="descend" of="f770fc"
# Der Schritt steht außerhalb von `no_grad()`: Ein Blatt darf nicht geändert werden, wo die Änderung aufgeschrieben
# wird.

# %% [markdown] tags=["wrong"] id="descend" of="dc1e89"
# Nur `w` bewegt sich. Bewege auch `b`.

# %% [markdown] tags=["wrong"] id="descend" of="cd6d55"
# Nur der Gradient von `w` wird gelöscht. Der von `b` häuft sich an.

# %% [markdown] tags=["wrong"] id="descend" of="82e442"
# Die Gradienten werden vor dem Schritt gelöscht, also gibt es nichts, dem er folgen könnte.

# %% [markdown] tags=["wrong"] id="detector" of="e6e314"
# Du vergleichst genau, und gerundete Zahlen sind nie ganz gleich. Vergleiche mit dem 1,5-fachen des ersten Schrittes.

# %% [markdown] tags=["wrong"] id="detector" of="74496e"
# Du gibst True oder False zurück. Sage, welche Parameter es sind: eine Liste ihrer Nummern.

# %% [markdown] tags=["wrong"] id="detector" of="860390"
# Das ist der Ort nach zwei Schritten, nicht die Länge des zweiten. Ziehe den Ort nach dem ersten Schritt ab.

# %% [markdown] tags=["wrong"] id="detector" of="15a9c0"
# Du siehst nach, ob nach dem Schritt noch ein Gradient da ist. Einer, der vor dem nächsten backward gelöscht wird,
# schadet nicht.

# %% [markdown] tags=["wrong"] id="detector" of="e704f8"
# Deine Liste nennt die, bei denen sich nichts anhäuft.

# %% [markdown] tags=["wrong"] id="detector" of="8da221"
# Du siehst dir nur den ersten Parameter an.

# %% [markdown] tags=["wrong"] id="micro" of="05513f"
# Die Verluste der Teile sind Mittelwerte, und ihre Gradienten addieren sich. Gewichte jeden Teil mit seinem Anteil an
# den Beispielen.

# %% [markdown] tags=["wrong"] id="micro" of="30df82"
# Du teilst durch die Zahl der Teile. Der letzte Teil kann kleiner sein, und dann wiegt er weniger.

# %% [markdown] tags=["wrong"] id="micro" of="7a781d"
# Der letzte Teil hat weniger als `size` Beispiele. Sein Anteil ist `len(part_of_x) / len(x)`.

# %% [markdown] tags=["wrong"] id="micro" of="45cd3d"
# Du löschst die Gradienten in der Schleife, also bleibt nur der letzte Teil übrig.

# %% [markdown] tags=["wrong"] id="micro" of="3102e2"
# Du lässt den letzten Teil weg, weil er nicht voll ist.

# %% [markdown] tags=["wrong"] id="micro" of="1cc0e9"
# Du multiplizierst mit der Zahl der Beispiele eines Teils. Teile auch durch die Zahl aller Beispiele.

# %% [markdown] tags=["wrong"] id="optimiser" of="15fa1a"
# Die Geschwindigkeiten bleiben 0, also ist das der einfache Abstieg. Ändere jede an Ort und Stelle, `speed.mul_(...)`;
# `speed = ...` macht einen neuen Tensor.

# %% [markdown] tags=["wrong"] id="optimiser" of="5e8aae"
# Die Geschwindigkeit verliert unterwegs nichts: Multipliziere sie zuerst mit `self.momentum`.

# %% [markdown] tags=["wrong"] id="optimiser" of="8ce686"
# Der Parameter bewegt sich, bevor seine Geschwindigkeit neu ist. Erst die Geschwindigkeit, dann der Parameter.

# %% [markdown] tags=["wrong"] id="optimiser" of="550c98"
# Du gewichtest den Gradienten mit `1 - momentum`. Hier wird der ganze Gradient zur Geschwindigkeit addiert.

# %% [markdown] tags=["check"] id="descend" of="433678"
# w, b und w.grad nach `descend(w, b, x, y, {steps}, {rate})` von 0 und 0 aus, mit x = {x} und y = {y}

# %% [markdown] tags=["check"] id="detector" of="5506e6"
# geht rückwärts, macht einen Schritt und löscht nie einen Gradienten

# %% [markdown] tags=["check"] id="detector" of="88532e"
# löscht nur den Gradienten des ersten Parameters

# %% [markdown] tags=["check"] id="detector" of="447639"
# löscht nur den Gradienten des zweiten Parameters

# %% [markdown] tags=["check"] id="detector" of="3c1d30"
# löscht vor dem Schritt, also bewegt sich nichts; auch das ist falsch, aber nichts häuft sich an

# %% [markdown] tags=["check"] id="detector" of="1ba6c7"
# löscht alle Gradienten und zieht dreimal das 0,33-fache der Steigung ab, was dreimal gerundet wird

# %% [markdown] tags=["check"] id="detector" of="b3f8dc"
# löscht alle Gradienten und geht die Steigung hinauf

# %% [markdown] tags=["check"] id="detector" of="80fa8b"
# löscht alle Gradienten und zieht das 0,3-fache der Steigung ab

# %% [markdown] tags=["check"] id="micro" of="fc692e"
# w.grad und b.grad nach `micro_batches(w, b, x, y, {size})`, bei w = 0.5 und b = -1, für {x}, {y}

# %% [markdown] tags=["check"] id="optimiser" of="876ba1"
# w und b, wenn `Descent([w, b], {rate}, {momentum})` von 0 und 0 aus {steps}-mal einen Schritt macht, für {x}, {y}

# %% [markdown] tags=["check"] id="optimiser" of="2a5282"
# die Geschwindigkeiten, die `Descent` nach zwei Schritten mit den Steigungen 2 und 5 hat, bei Impuls 0,5

# ---
# title: Weniger Speicher
# goal: Werte wegwerfen, sie noch einmal berechnen und ein Netz trainieren, das nicht hineinpasste.
# explorer: Die Kurve der Bytes, die für backward gespeichert sind, und die Stücke, die ein zweites Mal laufen, während es zurückgeht.
# ---

# %% [markdown] of="a76384"
# # Weniger Speicher
#
# Ein Netz mit doppelt so vielen Schichten merkt sich doppelt so viel. Eines Tages ist es zu viel: Das Programm endet mit
# „out of memory“. **Muss ich einen größeren Rechner kaufen?**
#
# Ein Netz aus 64 Schichten, in Abschnitte von `k` geschnitten. Ziehe an `k`: Was behalten werden muss, ist irgendwo in der
# Mitte am kleinsten.
#
# ```figure
# k = 4 from 1 to 64
# checkpoints = 64 / k
# kept = checkpoints + k
# show Checkpoints = checkpoints
# show Werte eines Abschnitts = k
# show zusammen behalten = kept
# ```
#
# Nein. Du kannst mit Zeit bezahlen. Was einmal berechnet wurde, kann noch einmal berechnet werden, also muss man es sich
# nicht merken.
#
# Am Ende dieser Lektion kannst du
#
# - messen, was ein backward an Speicher kostet,
# - ein backward schreiben, das sich nur wenige Werte merkt und die anderen noch einmal berechnet,
# - sagen, wie viele man sich merken soll, und mit einem Budget auskommen,
# - die Falle vermeiden, die in Zufallszahlen liegt.
#
# Du brauchst Lektion 4: Eine Operation speichert, wonach ihre Regel fragt, bis backward vorbeigekommen ist.

# %% [markdown] of="0b8b34"
# ## Die Rechnung
#
# Hier ist ein tiefes Programm: 64 Schichten, eine nach der anderen. Damit es einfach bleibt, ist jede ein Sinus. Die
# Eingabe ist ein Tensor mit einer Viertelmillion Zahlen, genau 1 MiB. Python kann sagen, wie viel Speicher eine Funktion
# höchstens brauchte.

# %% [markdown] of="f06640"
# Die Regel des Sinus fragt nach seiner Eingabe. Es gibt 64 Schichten, und jede Eingabe hat 1 MiB. Wie viele MiB hält
# `gradient` höchstens?
#
# ---
# Etwa **65**: die Eingaben von 64 Sinus und was gerade berechnet wird.

# %% [markdown] of="2e4adb"
# Ohne Gradienten braucht es fast nichts, denn jeder Wert wird vergessen, sobald der nächste da ist:

# %% [markdown] of="bca599"
# ## Sich ein paar merken, den Rest noch einmal berechnen
#
# Denke an eine Wanderin, die genau den Pfad zurückgehen will, den sie gekommen ist. Sie könnte bei jedem Schritt einen
# Stein hinlegen. Oder sie baut nur hin und wieder einen *Steinhaufen*. Auf dem Rückweg geht sie von Haufen zu Haufen:
# hinunter zum vorigen, wieder hinauf, um zu sehen, wie der Pfad verlief, und diesmal merkt sie sich jeden Schritt.
#
# Die Steinhaufen heißen **Checkpoints**. Schneide die Schichten in Abschnitte.
#
# - *Forward:* Laufe, ohne aufzuzeichnen (`no_grad`). Behalte nur den Wert am Anfang jedes Abschnitts.
# - *Backward:* Nimm den letzten Abschnitt. Laufe ihn von seinem Checkpoint aus noch einmal, diesmal mit Aufzeichnung. Geh
#   durch ihn zurück, mit dem Gradienten, der an seinem Ende ankam. Das gibt den Gradienten an seinem Anfang, und sein
#   Graph kann vergessen werden. Dann der Abschnitt davor, und so weiter.
#
# ### Aufgabe: Abschnitte
#
# Die erste Hälfte ist gegeben. Schreibe die zweite: Geh die Paare in `kept` vom letzten zum ersten durch.
# `mg.autograd.grad(out, start, grad)` schickt `grad` von `out` zurück und gibt ein Tupel mit dem Gradienten von `start`
# zurück.

# %% [markdown] of="3b2571"
# `for segment, start in reversed(kept):` und dann drei Dinge: Mache aus `start` ein Blatt, das einen Gradienten verlangt,
# laufe den Abschnitt von ihm aus, schicke `grad` zurück.

# %% [markdown] of="93c4a5"
# `start = start.detach().requires_grad_()`, dann
# `(grad,) = mg.autograd.grad(run(segment, start), start, grad)`. Der Gradient am Anfang eines Abschnitts ist der Gradient
# am Ende des Abschnitts davor.

# %% [markdown] of="43bd10"
# Die Gradienten sind bis zur letzten Stelle gleich: Genau dieselben Operationen liefen mit genau denselben Zahlen. Aber
# der Speicher ist im besten Fall weniger als ein Drittel. Und er ist ein Tal: Bei kurzen Abschnitten sind viele
# Checkpoints zu behalten; bei langen wird der eine Abschnitt groß, durch den gerade zurückgegangen wird.
#
# ### Aufgabe: die beste Größe
#
# Bei $n$ Schichten in Abschnitten von $k$ behältst du $\lceil n / k \rceil$ Checkpoints und $k$ Werte des Abschnitts, der
# gerade dran ist. ($\lceil\ \rceil$ bedeutet: aufgerundet.) Schreibe `best_size(n)`: das $k$, für das die Summe am
# kleinsten ist; das kleinste solche $k$, wenn es mehrere gibt.

# %% [markdown] of="735360"
# Probiere jedes `k` von 1 bis `n`, und behalte das mit dem kleinsten `math.ceil(n / k) + k`.

# %% [markdown] of="4834ac"
# `min(range(1, n + 1), key=...)` gibt den ersten der Kandidaten zurück, für den der Schlüssel am kleinsten ist.

# %% [markdown] of="ffe458"
# Es ist etwa die Wurzel aus $n$. Ein Netz mit 10.000 Schichten braucht Platz für 200 Werte und nicht für 10.000. Und der
# Preis ist nur *ein forward mehr*: Jede Schicht läuft zweimal vorwärts und einmal zurück, wie groß die Abschnitte auch
# sind.
#
# ## Der checkpoint von minigrad
#
# Deine Funktion geht für eine Kette von Schichten. In einem wirklichen Programm gibt es viele Eingaben, Parameter und
# Zweige. Dafür hat minigrad `checkpoint(function, *inputs, use_reentrant=False)`, wie PyTorch. Es gibt, was
# `function(*inputs)` gibt, aber dessen Operationen speichern nicht: Sie hinterlassen einen Zettel, auf dem „führe mich
# noch einmal aus“ steht. Es kann überall in einem Programm stehen, und `backward()` muss nichts davon wissen.
#
# (In PyTorch gibt es aus geschichtlichen Gründen zwei Arten davon. `use_reentrant=False` ist die neuere.)
#
# ### Aufgabe: mit dem Budget auskommen
#
# Schreibe `gradient_within(layers, x, size)`: wie `gradient`, aber jeder Abschnitt aus `size` Schichten geht durch
# `checkpoint`. Die Prüfung hat ein Budget von 20 MiB.

# %% [markdown] of="7a9e46"
# `run(segment, out)` ist ein gewöhnlicher Aufruf. Durch einen Checkpoint ist es
# `checkpoint(run, segment, out, use_reentrant=False)`.

# %% [markdown] of="006f3b"
# Schneide die Abschnitte wie in der Aufgabe oben: `for first in range(0, len(layers), size)`, und der Abschnitt ist
# `layers[first : first + size]`. Ersetze jedes Mal `out`.

# %% [markdown] of="1184ef"
# ## Die Falle
#
# Etwas noch einmal zu berechnen gibt dasselbe Ergebnis, *wenn es dieselbe Rechnung ist*. Dropout ist das nicht: Es
# würfelt. Sieh, was deine eigene Funktion damit macht.

# %% [markdown] of="3144b9"
# Das erste forward hat einige der Zahlen behalten. Der zweite Lauf hat neu gewürfelt und *andere* behalten. Dieser
# Gradient gehört also zu einem forward, das es nie gab. Kein Fehler, keine Warnung: Das Netz lernt einfach schlecht.
#
# Die Würfe eines Computers kommen aus einem *Zustand*. Wer den Zustand behält, kann dieselben Zahlen noch einmal werfen.
#
# ### Aufgabe: dieselben Würfel
#
# Schreibe `twice(function, x)`. Es ruft die Funktion zweimal auf, *mit denselben Zufallszahlen*, und gibt beide Ergebnisse
# zurück. Und danach müssen die Würfel dort stehen, wo sie nach *einem* Aufruf stünden. `mg.get_rng_state()` gibt dir den
# Zustand, `mg.set_rng_state(state)` setzt ihn.

# %% [markdown] of="3feafa"
# Nimm den Zustand *vor* dem ersten Aufruf. Setze ihn zwischen den beiden Aufrufen.

# %% [markdown] of="522452"
# Nach dem zweiten Aufruf stehen die Würfel dort, wo sie nach dem ersten standen, also ist nichts mehr zu tun.

# %% [markdown] of="0695fb"
# Der `checkpoint` von minigrad macht das für dich (es heißt `preserve_rng_state` und ist eingeschaltet). Aber keine
# Bibliothek kann es für eine Funktion tun, die eine Datei liest, die sich geändert hat, oder die zählt, wie oft sie
# aufgerufen wird. Was durch einen Checkpoint geht, sollte jedes Mal dasselbe geben.
#
# ## Sieh minigrad dabei zu
#
# Sechs Sinus, zuerst einfach, dann in zwei Abschnitten. Die Tensoren sind klein genug zum Lesen: drei Zahlen, 12 Bytes.

# %% [markdown] of="13e097"
# Sieh dir seinen Graphen an. Klicke auf der Seite der Lektion oben auf **Hier zeigen**, und der Graph
# steht neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 12` in ein Terminal: Der Browser
# öffnet sich beim neuesten Schritt, und das ist der mit den Checkpoints:
#
# 1. Die violette Linie unten ist der Speicher: **gespeichert**. Ihr **Höchststand** ist 24 B: zwei Checkpoints zu
#    12 Bytes. Drücke **[** für den Schritt davor, den einfachen: Dort steigt sie Sinus um Sinus, bis auf 72 B. Drücke
#    **]**, um zurückzukommen.
# 2. Die beiden Kästen **_KeepInputs** sind die Steinhaufen. Sie halten die Eingabe jedes Abschnitts, und sonst ist von ihm
#    nichts gespeichert.
# 3. Drücke **home**, dann **→**, bis die ersten orangen Zahlen erscheinen. Mitten in backward erscheinen an der Seite neue
#    *blaue* Kästen: Der zweite Abschnitt läuft noch einmal. Dann geht backward weiter, bis es den ersten Abschnitt
#    braucht.
# 4. Zähle die Kästen an der Seite. Jedes Mal liefen nur zwei der drei Sinus noch einmal. Warum nicht der dritte? (Wonach
#    fragt die Regel des Sinus?)
#
# ## Zusammenfassung
#
# - Der Speicher von backward wächst mit der Zahl der Operationen. Das meiste davon lässt sich noch einmal berechnen.
# - Behalte den Anfang jedes Abschnitts; auf dem Rückweg laufe den Abschnitt noch einmal.
# - Abschnitte von etwa $\sqrt n$ Schichten brauchen am wenigsten: etwa $2 \sqrt n$ Werte, für ein forward mehr.
# - `checkpoint(function, *inputs, use_reentrant=False)` macht es für jede Funktion.
# - Was zweimal läuft, muss zweimal dasselbe geben. Zufallszahlen haben einen Zustand, den man behalten kann.
#
# ## Zwei offene Fragen
#
# 1. Während ein Abschnitt noch einmal läuft, ist das selbst ein forward mit einem backward danach. Du könntest also
#    Checkpoints *hineinsetzen*. Wie viel Speicher braucht ein Programm mit $n$ Schichten, wenn du so weitermachst, und wie
#    viel Zeit?
# 2. Einen Sinus kann man nur rückwärts laufen, wenn man sich seine Eingabe merkt. Aber $y = x + 3$ lässt sich
#    *rückgängig machen*: Die Eingabe ist $y - 3$. Fallen dir Schichten für ein Netz ein, die sich alle rückgängig machen
#    lassen, und was würde das sparen?

# %% [markdown] tags=["wrong"] id="segments" of="254dff"
# Du beginnst mit dem ersten Abschnitt. Backward beginnt am Ende: `reversed(kept)`.

# %% [markdown] tags=["wrong"] id="segments" of="c2e81d"
# Der Gradient, der ankam, wird nicht weitergereicht: `mg.autograd.grad(..., start, grad)`.

# %% [markdown] tags=["wrong"] id="segments" of="677872"
# `start` wurde ohne Graphen berechnet und verlangt keinen Gradienten. Sage `start.detach().requires_grad_()`.

# %% [markdown] tags=["wrong"] id="segments" of="3faf61"
# `mg.autograd.grad` gibt ein Tupel zurück, und du gibst das ganze Tupel zurück. Nimm sein Element heraus.

# %% [markdown] tags=["wrong"] id="segments" of="df2137"
# Das stimmt, aber nichts wird vergessen: Alle Schichten werden zugleich aufgezeichnet.

# %% [markdown] tags=["wrong"] id="segments" of="364eb2"
# Das `return` steht in der Schleife, also wird nur durch den letzten Abschnitt zurückgegangen.

# %% [markdown] tags=["wrong"] id="segments" of="885f0f"
# Die Gradienten der Abschnitte werden addiert. Steigungen entlang einer Kette multiplizieren sich: Reiche jeden an den
# nächsten weiter.

# %% [markdown] tags=["wrong"] id="best-size" of="610835"
# Ungefähr ist es die Wurzel, aber nicht genau: Probiere jedes k von 1 bis n.

# %% [markdown] tags=["wrong"] id="best-size" of="684b51"
# Die aufgerundete Wurzel ist nicht immer die beste Größe und nicht immer die kleinste. Probiere jedes k.

# %% [markdown] tags=["wrong"] id="best-size" of="b697fe"
# Von mehreren gleich guten Größen ist die kleinste gefragt. Deine ist die größte.

# %% [markdown] tags=["wrong"] id="best-size" of="65d135"
# So viele Werte werden behalten. Gib die Größe `k` zurück.

# %% [markdown] tags=["wrong"] id="best-size" of="acc7ff"
# Der letzte Abschnitt kann kürzer sein, also wird die Zahl der Checkpoints *aufgerundet*: `math.ceil(n / k)`.

# %% [markdown] tags=["wrong"] id="best-size" of="b1818c"
# Du zählst die Checkpoints und vergisst die Werte des Abschnitts, der gerade dran ist.

# %% [markdown] tags=["wrong"] id="budget" of="d9a76a"
# Das ist der einfache Weg: Nichts geht durch `checkpoint`.

# %% [markdown] tags=["wrong"] id="budget" of="10a456"
# Ein Checkpoint um alle Schichten behält wenig, aber dann laufen alle zugleich noch einmal.

# %% [markdown] tags=["wrong"] id="budget" of="7a890d"
# Jeder Abschnitt beginnt wieder bei `x`. Ersetze jedes Mal `out`.

# %% [markdown] tags=["wrong"] id="budget" of="733741"
# Zwischen den Abschnitten wird eine Schicht ausgelassen: Mache bei `first + size` weiter.

# %% [markdown] tags=["wrong"] id="budget" of="520adf"
# Der letzte Abschnitt wird ausgelassen, wo er nicht voll ist.

# %% [markdown] tags=["wrong"] id="budget" of="57d167"
# Jede Schicht hat ihren eigenen Checkpoint, also wird jeder Wert behalten. Schneide Abschnitte von `size` Schichten.

# %% [markdown] tags=["wrong"] id="dice" of="34aef4"
# Der zweite Aufruf würfelt andere Zahlen. Nimm den Zustand vor dem ersten Aufruf, und setze ihn zwischen den beiden.

# %% [markdown] tags=["wrong"] id="dice" of="1a9299"
# Beide sind gleich, aber die Funktion wird nur einmal aufgerufen. Rufe sie zweimal auf.

# %% [markdown] tags=["wrong"] id="dice" of="2664ad"
# Ein eigener Seed würfelt andere Zahlen als die, die an der Reihe waren. Behalte den Zustand.

# %% [markdown] tags=["wrong"] id="dice" of="0123a3"
# Danach stehen die Würfel dort, wo sie vorher standen. Sie müssen dort stehen, wo *ein* Aufruf sie zurücklässt.

# %% [markdown] tags=["wrong"] id="segments" of="0a7dc4"
# Hier wird alles behalten, wie auf dem einfachen Weg. Geh Abschnitt für Abschnitt zurück.

# %% [markdown] tags=["wrong"] id="segments" of="5b0cb1"
# Hat eine Stelle mehrere Eingaben, so multiplizieren sich die Steigungen nicht einfach: Reiche `grad` an
# `mg.autograd.grad`.

# %% [markdown] tags=["check"] id="segments" of="afdba9"
# `gradient_in_segments` für {chain} in Abschnitten von {size}, bei x = {start}

# %% [markdown] tags=["check"] id="segments" of="5b631c"
# wie viele MiB `gradient_in_segments(LAYERS, x, {size})` höchstens hält

# %% [markdown] tags=["check"] id="budget" of="7542ad"
# wie viele MiB `gradient_within(LAYERS, x, {size})` höchstens hält

# %% [markdown] tags=["check"] id="budget" of="9a73e0"
# `gradient_within(LAYERS, x, {size})` bei x = {start}

# %% [markdown] tags=["check"] id="budget" of="e245f5"
# wie viele Checkpoints `gradient_within(LAYERS, x, {size})` macht

# %% [markdown] tags=["check"] id="dice" of="24fc50"
# die beiden Ergebnisse von `twice(dropout, x)` für ein x aus 12 Einsen, nach `mg.manual_seed({seed})`

# %% [markdown] tags=["check"] id="dice" of="dbebdf"
# `mg.rand(3)` nach `mg.manual_seed({seed})` und `twice(dropout, x)`

# %% [markdown] tags=["check"] id="dice" of="8b378e"
# wie oft `twice(function, x)` die Funktion aufruft

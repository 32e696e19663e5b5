# ---
# title: Abschluss
# goal: Dieselbe Datei auf PyTorch laufen lassen, dieselben Verluste bekommen und wissen, was innen gleich ist.
# explorer: Der Graph eines kleinen Netzes. PyTorch hat denselben gemacht: Seine Namen stehen an jedem Knoten.
# ---

# %% [markdown] of="639acd"
# # Abschluss
#
# Die Welt trainiert ihre Netze mit PyTorch. Du hast mit minigrad gelernt. **Wie viel davon muss ich neu lernen?**
#
# Das Programm, das du in beiden Bibliotheken beobachten wirst. Ziehe an `x`: Was würde sich ändern, wenn eine andere
# Bibliothek es berechnete?
#
# ```figure
# x = 0.5 from -2 to 2
# scaled = x * 3
# bent = tanh(scaled)
# y = bent + x
# show Steigung durch Probieren = measured
# show Steigung nach der Regel jeder Operation = slope
# ```
#
# Finden wir es heraus, und glauben wir es nicht nur: In dieser Lektion schreibst du das Modell aus Lektion 14 so, dass es
# nicht weiß, auf welcher Bibliothek es läuft. Dann lässt du es auf beiden laufen, von denselben Gewichten aus, und
# vergleichst die Verluste, Schritt für Schritt.
#
# Am Ende dieser Lektion kannst du
#
# - ein Programm von minigrad zu PyTorch bringen, und zurück,
# - trainierte Gewichte hinübertragen,
# - in PyTorchs Graphen hineinsehen und ihn wiedererkennen.
#
# Du brauchst Lektion 14. Und du brauchst PyTorch (`pip install torch`), wenn du es mit eigenen Augen sehen willst. Ohne
# PyTorch läuft die Lektion auch und sagt, was sie auslässt.

# %% [markdown] of="2ad637"
# ## Ein Name
#
# Die meisten Programme beginnen mit `import torch`. Hier reichen wir die Bibliothek als Argument herein und nennen sie `t`.
# Also ist `t.tensor`, `t.nn.Linear` und `t.optim.AdamW` das eine oder das andere. Das Neuron aus Lektion 1, ein für alle
# Mal:

# %% [markdown] of="f99940"
# Das ist $\tanh(3 w - 5)$ bei $w = 2$. Welche Steigung wird PyTorch finden?
#
# ---
# **1,26**, die Zahl, die du in Lektion 1 gemessen hast. Sie ist eine Eigenschaft des Programms und keiner Bibliothek.

# %% [markdown] of="964adc"
# ### Aufgabe: Attention, für beide
#
# Schreibe die Attention aus Lektion 14 noch einmal, mit `t` anstelle von `mg`. Die Wertungen der Zukunft werden vor dem
# Softmax zu $-\infty$. Nützlich: `t.ones(n, n, dtype=t.bool).triu(1)`, `masked_fill`, `t.softmax`.

# %% [markdown] of="418f75"
# Zuerst die Wertungen: `q @ k.mT / math.sqrt(size)`. Dann `.masked_fill(future, -math.inf)`.

# %% [markdown] of="2c26c6"
# Es endet mit `t.softmax(scores, dim=-1) @ v`. Wenn du deine Antwort aus Lektion 14 zur Hand hast: Schreibe `t` für `mg`.

# %% [markdown] of="ce1aca"
# ## Das Modell
#
# Das ist das Netz aus Lektion 14, mit `t`. Eine Klasse muss die Klasse kennen, von der sie abgeleitet ist, also stehen die
# Klassen in einer Funktion. In einem eigenen Programm stünde oben `import torch`, und es gäbe keine Funktion.

# %% [markdown] of="5ad926"
# ### Aufgabe: die Gewichte hinübertragen
#
# Die beiden Bibliotheken werfen verschiedene Würfel, also sind zwei frische Netze nicht gleich. Wir brauchen in beiden
# dieselben Gewichte. Der *Zustand* eines Moduls ist ein Wörterbuch: Name → Tensor. Beide Bibliotheken geben dieselben
# Namen, denn sie kommen von deinen eigenen Attributen.
#
# Schreibe `carried(state, t)`: dasselbe Wörterbuch, mit Tensoren der Bibliothek `t`. Beide kennen NumPy:
# `tensor.detach().numpy()` geht hinaus, `t.tensor(array)` kommt herein.

# %% [markdown] of="2e6c17"
# Geh `state.items()` durch, und mache ein neues Wörterbuch mit denselben Namen.

# %% [markdown] of="2a64d4"
# `{name: t.tensor(value.detach().numpy()) for name, value in state.items()}`.

# %% [markdown] of="e18875"
# ### Aufgabe: die Schleife
#
# Schreibe `train(t, net, batches)`. Mache für jedes Paar (gegeben, gewünscht) von Zahlen einen Schritt mit dem Optimierer,
# und notiere den Verlust. Gib die Liste der Verluste zurück. Die fünf Zeilen sind immer dieselben: Verlust, leeren,
# backward, Schritt, notieren. `t.nn.functional.cross_entropy` will die Wertungen als (Fragen, Buchstaben), also lege die
# ersten beiden Dimensionen zusammen.

# %% [markdown] of="03dd3e"
# Der Verlust ist `t.nn.functional.cross_entropy(net(given).flatten(0, 1), wanted.flatten())`.

# %% [markdown] of="061661"
# Dann `optimizer.zero_grad()`, `loss.backward()`, `optimizer.step()` und `losses.append(loss.item())`.

# %% [markdown] of="b68b75"
# ## Das Rennen
#
# Dieselben Gewichte, dieselben Stapel, 40 Schritte. Jeder Schritt baut auf allem auf, was davor kam. Wäre eine Regel einer
# Operation oder eine Zeile des Optimierers anders, so liefen die Verluste auseinander.

# %% [markdown] of="5450b0"
# Sie stimmen etwa bis zur letzten Stelle überein, die diese Zahlen haben: Beide behalten 7 Stellen und addieren in anderer
# Reihenfolge. (Stundenlang trainiert, liefen zwei solche Läufe auseinander, wie es zwei Läufe auf zwei verschiedenen
# Rechnern tun.)
#
# ## Derselbe Graph
#
# PyTorch hat keinen Explorer, aber es hat den Graphen. Jedes Ergebnis hat ein `grad_fn`, den Knoten, der es gemacht hat,
# und jeder Knoten kennt seine `next_functions`: Paare aus einem Knoten, bei dem backward weitergeht, und einer Zahl. Wo
# eine Konstante steht, ist der Knoten None.
#
# ### Aufgabe: geh ihn ab
#
# Schreibe `nodes(result)`: die Namen aller Knoten, mit denen `result` gemacht wurde, jeder Knoten einmal, sortiert.
# `node.name()` ist sein Name. Du hast das in Lektion 2 gemacht, mit `parents`.

# %% [markdown] of="68b3cb"
# `while to_visit:` Nimm einen Knoten aus der Liste, und sieh dir jedes Paar in seinen `next_functions` an.

# %% [markdown] of="e4d732"
# Ein Knoten, der None ist oder schon in `found` steht, wird ausgelassen. Jeder andere kommt in `found` und auf die Liste.
# Am Ende: `sorted(node.name() for node in found)`.

# %% [markdown] of="0c2979"
# ## Was nicht gleich ist
#
# Ehrlich gesagt:
#
# | | PyTorch | minigrad |
# | --- | --- | --- |
# | geschrieben in | größtenteils C++ und CUDA | Python, zum Lesen: der Kern an einem Nachmittag |
# | große Matrizen, viele Kerne, GPUs | so schnell, wie es das Gerät erlaubt | so schnell wie NumPy oder CuPy |
# | um zu sehen, was geschieht | `grad_fn`, Hooks, Profiler | der Explorer |
# | ein Compiler, Telefone, Cluster | ja | nein |
#
# Mache also wirkliche Arbeit dort, und komm zurück, um hineinzusehen. Wenn ein Gradient None oder NaN ist und du nicht
# weißt, warum, schreibe `import minigrad as torch`, mache das Programm klein, und *sieh ihm zu*.
#
# ## Sieh PyTorch selbst zu
#
# Du musst nicht einmal den Import ändern. Hier ist ein Netz, wie man es schreibt, ganz in PyTorch, und etwas stimmt daran
# nicht: Die Verluste fallen, aber nicht weit. Setze später dein eigenes Netz an seine Stelle.

# %% [markdown] of="b83a6a"
# `minigrad.observe` hört PyTorch zu und schreibt auf, was dessen Autograd tut: dieselben Aufzeichnungen wie von minigrad.

# %% [markdown] of="6feea0"
# `Affine`, `Tanh`, `MseLoss`: Du kennst jeden Kasten. Und es wird gesagt, was nicht stimmt, mit der Zeile. Nimm
# `.detach()` heraus, führe beide Zellen noch einmal aus, und es wird nichts mehr gesagt.
#
# Von einem Programm in einer Datei fragst du dasselbe in einem Terminal. Das Programm bleibt, wie es ist, und kommt zu
# denselben Bits:
#
# ```sh
# minigrad run train.py
# minigrad explain train.py
# minigrad explain train.py net[0].weight
# ```
#
# Das Erste öffnet den Explorer, mit dem lebenden Graphen *deines* Netzes darin. Das Zweite sagt, was an seinem Training
# nicht stimmt. Das Dritte sagt, warum ein Gradient `None` ist oder wovon er die Summe ist.
#
# ## Sieh noch einmal zu

# %% [markdown] of="d1b7de"
# Sieh dir seinen Graphen an. Klicke auf der Seite der Lektion oben auf **Hier zeigen**, und der Graph
# steht neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 16` in ein Terminal: Der Browser
# öffnet sich beim neuesten Schritt, und das ist dieser:
#
# 1. Vergleiche die Kästen mit der Liste, die gerade ausgegeben wurde. **Mm**, **Add**, **Tanh**, **Mul**, **Mean**: Zu
#    jedem davon gibt es einen Knoten `...Backward0`. Ist PyTorch hier, so schreibe in der letzten Zelle `t = torch` für
#    `t = mg`, und führe sie noch einmal aus. Die Liste bleibt dieselbe; der Graph ist der von minigrad.
# 2. Die beiden Blätter haben keinen Kasten einer Operation. In der Liste sind sie `AccumulateGrad`: das Ende des Weges, wo
#    sich Gradienten addieren.
# 3. Klicke auf **Teilen**: Das Bild, oder ein Link zu genau diesem Augenblick, gehört dir.
#
# ## Zusammenfassung
#
# - Die Namen, die Regeln und die Zahlen sind die von PyTorch. Ein Programm zieht mit seinem Import um.
# - Gewichte ziehen durch `state_dict` um, über NumPy.
# - Hinter PyTorchs `backward()` steht derselbe Graph: Knoten, Kanten, Blätter, die aufsummieren.
# - Was du hier verstanden hast, gilt dort.
# - `minigrad run train.py` zeigt es: PyTorchs eigenes Autograd, im Explorer.
#
# ## Zwei offene Fragen
#
# 1. Du hast das meistbenutzte Autograd der Welt von innen gesehen, in sechzehn Lektionen. Welche seiner Entscheidungen
#    würdest du anders treffen?
# 2. Was wirst du bauen?

# %% [markdown] tags=["wrong"] id="attention" of="741f4c"
# Die Zukunft ist nicht verborgen.

# %% [markdown] tags=["wrong"] id="attention" of="04afde"
# Die Wertungen werden nicht durch die Wurzel aus `size` geteilt.

# %% [markdown] tags=["wrong"] id="attention" of="e347e0"
# Softmax geht entlang der falschen Dimension: Jede Zeile hat die Summe 1.

# %% [markdown] tags=["wrong"] id="attention" of="9ad183"
# Ein Buchstabe darf sich selbst ansehen: Die Maske beginnt über der Diagonale, `.triu(1)`.

# %% [markdown] tags=["wrong"] id="attention" of="a36d15"
# Das sind die Anteile. Mische die Werte damit: `@ v`.

# %% [markdown] tags=["wrong"] id="attention" of="eae19d"
# Eine Wertung von 0 ist kein Verbot: Softmax macht eine Chance daraus. Nimm `-math.inf`.

# %% [markdown] tags=["wrong"] id="carried" of="217ad3"
# Das sind die Tensoren der Bibliothek, aus der sie kamen. Mache neue: `t.tensor(array)`.

# %% [markdown] tags=["wrong"] id="carried" of="4b5e95"
# Das sind Arrays von NumPy. Mache Tensoren daraus: `t.tensor(array)`.

# %% [markdown] tags=["wrong"] id="carried" of="b7263c"
# Die Namen gehen verloren. Gib ein Wörterbuch mit denselben Namen zurück.

# %% [markdown] tags=["wrong"] id="carried" of="de3236"
# Nur der erste Tensor wird hinübergetragen.

# %% [markdown] tags=["wrong"] id="carried" of="941883"
# `.numpy()` braucht einen Tensor ohne Gradienten: `value.detach().numpy()`.

# %% [markdown] tags=["wrong"] id="carried" of="6a7b3d"
# Die Werte werden unterwegs auf ganze Zahlen gerundet.

# %% [markdown] tags=["wrong"] id="train" of="8f81b4"
# Die Gradienten werden nie gelöscht: `optimizer.zero_grad()`.

# %% [markdown] tags=["wrong"] id="train" of="010416"
# Die Verluste bleiben gleich, also lernt das Netz nie: Nach backward kommt `optimizer.step()`, und dazwischen wird
# nichts gelöscht.

# %% [markdown] tags=["wrong"] id="train" of="81390b"
# Die Verluste werden nicht notiert: `losses.append(loss.item())`.

# %% [markdown] tags=["wrong"] id="train" of="fd3e5d"
# Die Verluste sind Tensoren. Notiere eine Zahl: `loss.item()`.

# %% [markdown] tags=["wrong"] id="train" of="aa9deb"
# Du vergleichst die Wertungen mit dem, was *gegeben* war. Gesucht ist, was folgt.

# %% [markdown] tags=["wrong"] id="nodes" of="d62215"
# Du siehst dir nur die Eingaben des ersten Knotens an. Geh weiter zu deren Eingaben.

# %% [markdown] tags=["wrong"] id="nodes" of="9dea24"
# Wo eine Konstante steht, ist der Knoten None. Lass ihn aus.

# %% [markdown] tags=["wrong"] id="nodes" of="56d7aa"
# Ein Knoten, der zweimal benutzt wird, steht zweimal in deiner Liste. Jeder darf nur einmal darin stehen.

# %% [markdown] tags=["wrong"] id="nodes" of="61d102"
# Jeder *Name* steht einmal in deiner Liste. Zwei Knoten können denselben Namen haben.

# %% [markdown] tags=["wrong"] id="nodes" of="72ece6"
# Der Knoten, der das Ergebnis gemacht hat, fehlt.

# %% [markdown] tags=["wrong"] id="nodes" of="9ea31b"
# Die Liste ist nicht sortiert.

# %% [markdown] tags=["wrong"] id="nodes" of="ab4837"
# Das sind Knoten. Gib ihre Namen zurück: `node.name()`.

# %% [markdown] tags=["check"] id="attention" of="d90e47"
# `attention(t, q, k, v)` mit t = {name}, für zufällige q, k, v

# %% [markdown] tags=["check"] id="attention" of="8b94f8"
# die Bibliothek des Tensors, den `attention(t, q, k, v)` mit t = {name} gibt

# %% [markdown] tags=["check"] id="carried" of="40214f"
# `carried(state, t)` mit t = {name}, für einen Zustand mit den Werten {values}; seine Bibliothek und seine Werte

# %% [markdown] tags=["check"] id="carried" of="7c3a7e"
# der erste Tensor des Zustands des Netzes, zu {name} und zurück getragen

# %% [markdown] tags=["check"] id="carried" of="c31444"
# ein Gewicht des Zustands, nachdem seine Kopie aus `carried(state, t)` mit t = {name} auf 0 gesetzt wurde

# %% [markdown] tags=["check"] id="train" of="bc67fd"
# die Verluste von `train(t, net, batches)` mit t = {name}, für ein Netz, das seine Wertungen in der Tabelle {table}
# nachschlägt, und {rounds}-mal den Stapel given = [[0, 1, 2]], wanted = [[1, 2, 3]]

# %% [markdown] tags=["check"] id="nodes" of="b07083"
# `nodes` für {program}, mit t = {name}

# %% [markdown] tags=["check"] id="nodes" of="8f2869"
# `nodes` für tanh(w * b), in der Reihenfolge, in der es sie gibt

"""A second pair of programs, of another kind than those of record.py: a server whose requests are long prompts, and a
training loop of convolutions. Weights and data are at random."""

import torch
import torch.nn.functional as F
from record import HEADS, INNER, WIDTH, WORDS, Decoder, Trainer

LAYERS, PROMPT = 16, 1024  # of the server: the layers of a language model of seven billion parameters, tokens of a prompt
BATCH, SIDE = 64, 224  # images of a step
STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))  # channels within a block, and blocks: those of a ResNet-50


class Prefill:
    """Reads a prompt and returns the first token behind it."""

    def __init__(self, priority=0):
        torch.manual_seed(3)

        def weight(*shape):
            return torch.randn(*shape, device="cuda", dtype=torch.bfloat16) * 0.02

        self.layers = [
            (weight(3 * WIDTH, WIDTH), weight(WIDTH, WIDTH), weight(2 * INNER, WIDTH), weight(WIDTH, INNER))
            for _ in range(LAYERS)
        ]
        self.embedding, self.head = weight(WORDS, WIDTH), weight(WORDS, WIDTH)
        self.norm = torch.ones(WIDTH, device="cuda", dtype=torch.bfloat16)
        self.prompt = torch.randint(WORDS, (1, PROMPT)).pin_memory()
        self.stream = torch.cuda.Stream(priority=priority)
        for _ in range(3):
            self.request()

    def request(self):
        with torch.no_grad(), torch.cuda.stream(self.stream):
            x = F.embedding(self.prompt.to("cuda", non_blocking=True), self.embedding)
            for qkv, out, up, down in self.layers:
                parts = F.linear(F.rms_norm(x, (WIDTH,), self.norm), qkv).view(1, PROMPT, 3, HEADS, -1)
                q, k, v = parts.permute(2, 0, 3, 1, 4)
                seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
                x = x + F.linear(seen.transpose(1, 2).reshape(1, PROMPT, WIDTH), out)
                gate, value = F.linear(F.rms_norm(x, (WIDTH,), self.norm), up).chunk(2, dim=-1)
                x = x + F.linear(F.silu(gate) * value, down)
            F.linear(F.rms_norm(x[:, -1], (WIDTH,), self.norm), self.head).argmax(-1).cpu()

    serve = Decoder.serve


class Block(torch.nn.Module):
    """Three convolutions and a way around them."""

    def __init__(self, before, channels, stride):
        super().__init__()

        def convolution(one, other, size, stride=1):
            layer = torch.nn.Conv2d(one, other, size, stride, size // 2, bias=False)
            return torch.nn.Sequential(layer, torch.nn.BatchNorm2d(other))

        self.parts = torch.nn.Sequential(
            convolution(before, channels, 1), torch.nn.ReLU(), convolution(channels, channels, 3, stride),
            torch.nn.ReLU(), convolution(channels, 4 * channels, 1),
        )
        same = before == 4 * channels and stride == 1
        self.around = torch.nn.Identity() if same else convolution(before, 4 * channels, 1, stride)

    def forward(self, x):
        return F.relu(self.parts(x) + self.around(x))


class Convolution:
    """Trains a network of the shape of a ResNet-50."""

    def __init__(self):
        torch.manual_seed(4)
        layers = [torch.nn.Conv2d(3, 64, 7, 2, 3, bias=False), torch.nn.BatchNorm2d(64), torch.nn.ReLU(), torch.nn.MaxPool2d(3, 2, 1)]
        before = 64
        for stage, (channels, blocks) in enumerate(STAGES):
            for block in range(blocks):
                layers.append(Block(before, channels, 2 if block == 0 and stage > 0 else 1))
                before = 4 * channels
        layers += [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(before, 1000)]
        self.model = torch.nn.Sequential(*layers).to("cuda", memory_format=torch.channels_last)
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.01, 0.9, foreach=True)
        images = torch.randn(BATCH, 3, SIDE, SIDE, device="cuda")
        self.images = images.contiguous(memory_format=torch.channels_last)
        self.labels = torch.randint(1000, (BATCH,), device="cuda")
        for _ in range(5):
            self.step()

    def step(self):
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(self.model(self.images), self.labels)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        loss.item()

    train = Trainer.train

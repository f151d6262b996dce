"""Models of real shapes with random weights, for card_models: make_card_models.py FOLDER (needs transformers)."""
import os
import sys

import torch
import transformers as t

WORDS = 8000
base = dict(vocab_size=WORDS)
models = {
    "minilm": lambda: t.BertModel(t.BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
                                               intermediate_size=1536, **base)),
    "bert-base": lambda: t.BertModel(t.BertConfig(**base)),
    "mpnet-base": lambda: t.MPNetModel(t.MPNetConfig(**base)),
    "deberta-v3-base": lambda: t.DebertaV2Model(t.DebertaV2Config(
        hidden_size=768, num_attention_heads=12, num_hidden_layers=12, intermediate_size=3072, type_vocab_size=0,
        relative_attention=True, position_buckets=256, norm_rel_ebd="layer_norm", share_att_key=True,
        pos_att_type=["p2c", "c2p"], position_biased_input=False, layer_norm_eps=1e-7, max_relative_positions=-1,
        **base)),
    "modernbert-base": lambda: t.ModernBertModel(t.ModernBertConfig(
        num_hidden_layers=12, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2,
        **base)),
    "roberta-base": lambda: t.RobertaModel(t.RobertaConfig(num_hidden_layers=4, max_position_embeddings=514,
                                                           type_vocab_size=1, **base)),
    "albert-base": lambda: t.AlbertModel(t.AlbertConfig(hidden_size=768, num_attention_heads=12,
                                                        num_hidden_layers=4, intermediate_size=3072, **base)),
}
for name, make in models.items():
    torch.manual_seed(1)
    try:
        model = make().eval()
        with torch.no_grad():  # gains and biases that are not 1 and 0
            for key, value in model.named_parameters():
                if value.dim() == 1:
                    value.add_(torch.randn_like(value) * 0.1)
        model.save_pretrained(os.path.join(sys.argv[1], name))
        print(name, "made", flush=True)
    except Exception as error:
        print(name, "failed:", repr(error)[:300], flush=True)

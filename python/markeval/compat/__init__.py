"""Drop-ins: the interfaces of public tools, the numbers of public tools, this engine.

Change the import line and nothing else::

    from markeval.compat import sacrebleu, prdc
    from markeval.compat.bert_score import score
    from markeval.compat.rouge_score import rouge_scorer
    from markeval.compat.moverscore import get_idf_dict, word_mover_score        # v1
    from markeval.compat.moverscore_v2 import get_idf_dict, word_mover_score     # v2
    from markeval.compat.sentence_transformers import SentenceTransformer

What a drop-in does not offer raises NotImplementedError with the name of the argument.
"""

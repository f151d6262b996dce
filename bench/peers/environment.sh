#!/usr/bin/env bash
# Makes a throw-away environment with the public tools to compare with, pinned:
#   bench/peers/environment.sh FOLDER      then FOLDER/bin/python bench/peers/sets.py ...
# The published MoverScore needs an older numpy: FOLDER/mover/bin/python has it, and sees the rest; the program's source
# archive is unpacked to FOLDER/moverscore-1.0.3.
set -euo pipefail
folder=${1:?usage: bench/peers/environment.sh FOLDER}
python3 -m venv "$folder"
"$folder/bin/pip" install -q \
  torch==2.10.0 'transformers==4.57.6' tokenizers==0.22.2 sentence-transformers==5.7.0 onnxruntime==1.31.1 onnx==1.23.2 \
  bert-score==0.3.13 prdc==0.2 faiss-cpu==1.15.1 POT==0.9.7.post1 scikit-learn==1.9.1 scipy==1.17.1 \
  sentencepiece==0.2.2 sacrebleu==2.6.0 rouge-score==0.1.2 nltk==3.10.4 pycocoevalcap==1.2 cer==1.2.0
python3 -m venv "$folder/mover"
"$folder/mover/bin/pip" install -q 'numpy<2' 'pyemd==1.0.0'
packages=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$packages" >"$("$folder/mover/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/peers.pth"
"$folder/bin/pip" download -q --no-deps --no-binary :all: -d "$folder" moverscore==1.0.3
tar -xzf "$folder/moverscore-1.0.3.tar.gz" -C "$folder"
echo "ready: $folder/bin/python"

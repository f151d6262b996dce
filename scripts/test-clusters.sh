#!/bin/sh
# The tests of markeval.ray and markeval.spark on real Ray and real Spark, in an environment of their own: pip
# fetches both, Java comes from the system (Debian: default-jre-headless). Then once more on a standalone Spark
# cluster of two worker processes. With --installed the environment is taken as it is.
set -eu
cd "$(dirname "$0")/.."
venv=build/clusters
if [ "${1:-}" != --installed ]; then
  command -v java > /dev/null || { echo "java is missing, expected: apt-get install default-jre-headless" >&2; exit 1; }
  test -x $venv/bin/python || python3 -m venv $venv
  $venv/bin/pip install --quiet --upgrade '.[ray,spark]'
fi
python=$PWD/$venv/bin/python
spark=$($python -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
export PYSPARK_PYTHON="$python"
export PYTHONPATH="$PWD/python/tests${PYTHONPATH:+:$PYTHONPATH}"

for name in test_clusters test_ray test_spark; do
  echo "== $name"
  $python -W ignore -m unittest $name
done

echo "== test_spark, a master and two workers"
export SPARK_HOME="$spark" SPARK_LOCAL_IP=127.0.0.1
url=spark://127.0.0.1:7577
logs=build/spark-cluster
mkdir -p $logs
processes=
stop() { for process in $processes; do kill "$process" 2> /dev/null || true; done; }
trap stop EXIT
start() {  # name, class, arguments
  log=$logs/$1.log; class=org.apache.spark.deploy.$2; shift 2
  "$spark/bin/spark-class" "$class" "$@" > "$log" 2>&1 &
  processes="$processes $!"
}
start master master.Master --host 127.0.0.1 --port 7577 --webui-port 0
sleep 5
start worker1 worker.Worker --host 127.0.0.1 --cores 1 --memory 1g --webui-port 0 --work-dir "$PWD/$logs/1" $url
start worker2 worker.Worker --host 127.0.0.1 --cores 1 --memory 1g --webui-port 0 --work-dir "$PWD/$logs/2" $url
SPARK_MASTER=$url $python -W ignore -m unittest test_spark

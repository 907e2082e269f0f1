/** Every metric that the operators declare. They are created with a registry that remembers the declarations. */
import { EtcdOperator, operatorKinds as etcdKinds } from '@ecsm/etcd-operator';
import { Operator, operatorKinds } from '@ecsm/operator';
import { EmbeddedRegistry, MemoryStore, MetricRegistry, processMetrics, systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { Simulator } from '@ecsm/simulator';
import { measureRegistry } from '../../packages/ecsm-operator/dist/controller/metrics.js';
import { rows } from './text.mjs';

class Declarations extends MetricRegistry {
  /** Name, type, labels, help and buckets, by name. */
  declared = new Map();

  #note(type, { name, labels = [], help, buckets = [] }) {
    this.declared.set(name, [name, type, labels.join(', '), help, buckets.join(' ')]);
  }
  counter(definition) {
    this.#note('counter', definition);
    return super.counter(definition);
  }
  gauge(definition) {
    this.#note('gauge', definition);
    return super.gauge(definition);
  }
  computedGauge(definition, compute) {
    this.#note('gauge', definition);
    return super.computedGauge(definition, compute);
  }
  histogram(definition) {
    this.#note('histogram', definition);
    return super.histogram(definition);
  }
}

export function metrics() {
  return {
    'metrics-ecsm-operator.txt': declaredBy(operatorKinds, (registry, metrics) => {
      const simulator = new Simulator({ clock: systemClock, random: new SeededRandom(1), nodes: 1 });
      measureRegistry(metrics, undefined);
      return new Operator({ registry, transport: simulator.transport(), metrics });
    }),
    'metrics-etcd-operator.txt': declaredBy(etcdKinds, (registry, metrics) => new EtcdOperator({ registry, metrics })),
  };
}

function declaredBy(kinds, create) {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds });
  const metrics = new Declarations();
  processMetrics(metrics);
  // Some are declared when the parts are listed for a manager.
  void create(registry, metrics).runnables;
  return rows([...metrics.declared.values()]);
}

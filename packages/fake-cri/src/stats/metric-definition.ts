import { type Metric, type MetricDescriptor, MetricDescriptorSchema, MetricSchema, MetricType } from '@rxlet/cri-api';
import { create } from '@bufbuild/protobuf';

/** Definition of a metric of samples of type `S`. */
export interface MetricDefinition<S> {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly labels: readonly string[];
  /** Values of the labels after those that all metrics of the sample have. */
  readonly labelValues: readonly string[];
  /** `undefined` without a value. */
  readonly value: (sample: S) => bigint | undefined;
}

/** Returns the descriptors of definitions; one of several with the same name, which differ in their label values. */
export function describeMetrics(definitions: readonly MetricDefinition<never>[]): MetricDescriptor[] {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  return Array.from(byName.values(), ({ name, help, labels }) =>
    create(MetricDescriptorSchema, { name, help, labelKeys: [...labels] }),
  );
}

/** Returns the metrics of a sample. `labelValues` are those of the labels that all of them have. */
export function measure<S>(
  definitions: readonly MetricDefinition<S>[],
  sample: S,
  timestamp: bigint,
  labelValues: readonly string[],
): Metric[] {
  return definitions.flatMap(({ name, type, value, labelValues: ownValues }) => {
    const measured = value(sample);
    if (measured === undefined) return [];
    return [
      create(MetricSchema, {
        name,
        timestamp,
        metricType: type,
        labelValues: [...labelValues, ...ownValues],
        value: { value: measured },
      }),
    ];
  });
}

/** Returns definitions of one type, whose labels are those in `common` and the keys of `own`. */
export function metricsOf<S>(
  type: 'counter' | 'gauge',
  common: readonly string[],
  own: Readonly<Record<string, string>>,
  metrics: readonly (readonly [name: string, help: string, value: MetricDefinition<S>['value']])[],
): MetricDefinition<S>[] {
  return metrics.map(([name, help, value]) => ({
    name,
    help,
    type: type === 'counter' ? MetricType.COUNTER : MetricType.GAUGE,
    labels: [...common, ...Object.keys(own)],
    labelValues: Object.values(own),
    value,
  }));
}

import type { KubeletConfiguration } from '@rxlet/component-base/kubelet-configuration';
import type { ProblemReport } from './problem-report.ts';

/** Numeric fields and their bounds. */
const BOUNDS = {
  nodeLeaseDurationSeconds: [1, Infinity],
  eventBurst: [0, Infinity],
  eventRecordQPS: [0, Infinity],
  cpuCFSQuotaPeriod: [1, 1000],
  imageGCHighThresholdPercent: [0, 100],
  imageGCLowThresholdPercent: [0, 100],
  imageMinimumGCAge: [0, Infinity],
  imageMaximumGCAge: [0, Infinity],
  iptablesDropBit: [0, 31],
  iptablesMasqueradeBit: [0, 31],
  kubeAPIBurst: [0, Infinity],
  kubeAPIQPS: [0, Infinity],
  nodeStatusMaxImages: [-1, Infinity],
  maxOpenFiles: [0, Infinity],
  maxPods: [0, Infinity],
  oomScoreAdj: [-1000, 1000],
  podsPerCore: [0, Infinity],
  port: [1, 65_535],
  healthzPort: [0, 65_535],
  readOnlyPort: [0, 65_535],
  registryBurst: [0, Infinity],
  registryPullQPS: [0, Infinity],
} as const satisfies Partial<Record<keyof KubeletConfiguration, readonly [number, number]>>;

/** Fields in {@link BOUNDS} whose unit is a millisecond. */
const DURATIONS: readonly string[] = ['cpuCFSQuotaPeriod', 'imageMinimumGCAge', 'imageMaximumGCAge'];

/** Validates the bounds of numbers, and numbers that depend on each other. */
export function validateNumbers(configuration: KubeletConfiguration, report: ProblemReport): void {
  for (const [field, [min, max]] of Object.entries(BOUNDS) as [keyof typeof BOUNDS, readonly [number, number]][]) {
    const value = configuration[field] ?? 0;
    if (value >= min && value <= max) continue;
    const unit = DURATIONS.includes(field) ? 'ms' : '';
    const bounds =
      max === Infinity ? `at least ${String(min)}${unit}` : `between ${String(min)}${unit} and ${String(max)}${unit}`;
    report([field], `${field} ${String(value)}${unit} must be ${bounds}`);
  }
  const { imageGCLowThresholdPercent: low = 0, imageGCHighThresholdPercent: high = 0 } = configuration;
  if (low >= high)
    report(
      ['imageGCHighThresholdPercent', 'imageGCLowThresholdPercent'],
      `imageGCLowThresholdPercent ${String(low)} must be less than imageGCHighThresholdPercent ${String(high)}`,
    );
  const { imageMinimumGCAge = 0, imageMaximumGCAge = 0 } = configuration;
  if (imageMaximumGCAge > 0 && imageMaximumGCAge <= imageMinimumGCAge)
    report(['imageMaximumGCAge', 'imageMinimumGCAge'], 'imageMaximumGCAge must be greater than imageMinimumGCAge');
  const { maxParallelImagePulls: pulls, serializeImagePulls } = configuration;
  if (pulls !== undefined && pulls < 1)
    report(['maxParallelImagePulls'], `maxParallelImagePulls ${String(pulls)} must be a positive number`);
  if (serializeImagePulls === true && pulls !== undefined && pulls > 1)
    report(
      ['maxParallelImagePulls', 'serializeImagePulls'],
      'maxParallelImagePulls above 1 requires serializeImagePulls to be false',
    );
}

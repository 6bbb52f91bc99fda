import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';

/** Lower bounds of the size classes, in MiB, as the kubelet labels them. */
const sizeClasses: readonly (readonly [minMebibytes: number, label: string])[] = [
  [100 * 1024, 'GT100GB'],
  [60 * 1024, '60GB-100GB'],
  [40 * 1024, '40GB-60GB'],
  [30 * 1024, '30GB-40GB'],
  [20 * 1024, '20GB-30GB'],
  [10 * 1024, '10GB-20GB'],
  [5 * 1024, '5GB-10GB'],
  [1024, '1GB-5GB'],
  [500, '500MB-1GB'],
  [100, '100MB-500MB'],
  [10, '10MB-100MB'],
  [0, '0-10MB'],
];

const pullSecondsBuckets = [1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600];

/** Metrics of the image manager, under the kubelet's names. */
export interface ImageMetrics {
  /** Counts a decided request; a value is `undefined` if the request failed before it was known. */
  request(pullPolicy: string | undefined, presentLocally: boolean | undefined, pullRequired: boolean | undefined): void;
  /** Counts a successful pull. The size is `0` when the runtime does not report it. */
  pulled(durationMs: number, sizeBytes: number): void;
}

/** Creates {@link ImageMetrics}. */
export function createImageMetrics(metrics: Metrics = noopMetrics): ImageMetrics {
  const requests = metrics.counter({
    name: 'kubelet_image_manager_ensure_image_requests_total',
    help: '[ALPHA] Number of ensure-image requests processed by the kubelet.',
    labelNames: ['pull_policy', 'present_locally', 'pull_required'],
  });
  const pulls = metrics.histogram({
    name: 'kubelet_image_pull_duration_seconds',
    help: 'How long successful pulls took, by size of the image.',
    labelNames: ['image_size_in_bytes'],
    buckets: pullSecondsBuckets,
  });
  return {
    request: (pullPolicy = '', presentLocally, pullRequired) =>
      requests.inc({
        pull_policy: pullPolicy.toLowerCase(),
        present_locally: String(presentLocally ?? 'unknown'),
        pull_required: String(pullRequired ?? 'unknown'),
      }),
    pulled: (durationMs, sizeBytes) =>
      pulls.observe(durationMs / 1000, { image_size_in_bytes: imageSizeClass(sizeBytes) }),
  };
}

/** Returns the label for an image's size, e.g. `10MB-100MB`; `N/A` for an unknown one. */
export function imageSizeClass(sizeBytes: number): string {
  if (sizeBytes === 0) return 'N/A';
  return sizeClasses.find(([minMebibytes]) => sizeBytes > minMebibytes * 1024 ** 2)![1];
}

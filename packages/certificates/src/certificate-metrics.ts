import type { Clock } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { CertificateManager, CertificateObserver } from './manager/certificate-manager.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const AGES = [MINUTE, HOUR, 4 * HOUR, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 180 * DAY, 360 * DAY, 1440 * DAY];

/** Returns the observer of a client certificate, with the kubelet's metrics. */
export function clientMetrics(metrics: Metrics): CertificateObserver {
  const failures = metrics.counter({
    name: 'kubelet_certificate_manager_client_expiration_renew_errors',
    help: 'Counter of certificate renewal errors.',
  });
  return { onRotation: () => undefined, onFailure: () => failures.inc() };
}

/** Returns the observer of a serving certificate, with the kubelet's metrics. */
export function servingMetrics(metrics: Metrics): CertificateObserver {
  const failures = metrics.counter({
    name: 'kubelet_server_expiration_renew_errors',
    help: 'Counter of certificate renewal errors.',
  });
  const ages = metrics.histogram({
    name: 'kubelet_certificate_manager_server_rotation_seconds',
    help: 'Histogram of the number of seconds the previous certificate lived before being rotated.',
    buckets: AGES,
  });
  return { onRotation: (ageMs) => ages.observe(ageMs / 1000), onFailure: () => failures.inc() };
}

/** Offers the seconds until a certificate expires; `+Inf` without one. */
export function observeExpiry(
  metrics: Metrics,
  use: 'client' | 'server',
  clock: Pick<Clock, 'now'>,
  manager: Pick<CertificateManager, 'notAfterMs'>,
): void {
  metrics.gauge({
    name: `kubelet_certificate_manager_${use}_ttl_seconds`,
    help: `Seconds until the ${use === 'client' ? 'client' : 'serving'} certificate expires; +Inf without a valid one.`,
    read: () => (manager.notAfterMs === undefined ? Infinity : Math.trunc((manager.notAfterMs - clock.now()) / 1000)),
  });
}

import type { Clock } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Pod } from '@rxlet/kube-api';
import { podEventObject, podUid } from '@rxlet/pod-model';
import type { OwnershipProgress } from './volume-ownership.ts';

const FIRST_REPORT_MS = 30_000;
const REPORT_PERIOD_MS = 60_000;
const REASON = 'VolumePermissionChangeInProgress';
const ADVICE =
  'https://kubernetes.io/docs/tasks/configure-pod-container/security-context/#configure-volume-permission-and-ownership-change-policy-for-pods';

/** Reports a change of ownership that takes long as events of the pod, until disposed of. */
export function reportSlowChange(
  { clock, events }: { readonly clock: Clock; readonly events: EventRecorder },
  pod: Pod,
  path: string,
  progress: OwnershipProgress,
): Disposable {
  // From the UID on: the directory of the agent means nothing to the user.
  const shown = path.slice(Math.max(0, path.indexOf(podUid(pod))));
  const report = (message: string): void => {
    events.event(podEventObject(pod), 'Warning', REASON, `Setting volume ownership for ${shown}${message}`);
  };
  const reportProgress = (): void => {
    report(`, processed ${String(progress.visited)} files.`);
    timer = clock.setTimer(REPORT_PERIOD_MS, reportProgress);
  };
  let timer = clock.setTimer(FIRST_REPORT_MS, () => {
    report(` is taking longer than expected, consider using OnRootMismatch - ${ADVICE}`);
    timer = clock.setTimer(REPORT_PERIOD_MS, reportProgress);
  });
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

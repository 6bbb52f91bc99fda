import { expect, it } from 'vitest';
import { startMessage } from './start-message.ts';

it.each([
  "failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: can't get final child's PID from pipe: write /proc/self/oom_score_adj: permission denied: unknown",
  'failed to set /proc/self/oom_score_adj to "-998": Permission denied',
])('startMessage names the flag of the shim for %j', (message) => {
  expect(startMessage(message)).toBe(
    `${message}: without CAP_SYS_RESOURCE no OOM score adjustment below the own one is possible, start docker-shim with --restrict-oom-score-adj`,
  );
});

it('startMessage leaves other messages as they are', () => {
  const message = 'exec: "nothing": executable file not found in $PATH';
  expect(startMessage(message)).toBe(message);
});

import { type Clock, errorMessage, type Logger, type Timer } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';

/** Ports of {@link watchConfiguration}. */
export interface WatchConfigurationPorts {
  readonly hostFiles: Pick<HostFiles, 'watch'>;
  readonly clock: Pick<Clock, 'setTimer'>;
  readonly logger: Logger;
}

/** Time without a change after which changes are reported, so that a file is complete and several files are one change. */
const QUIET_MS = 500;
/** Pause before a watch that has ended begins again. */
const RETRY_MS = 60_000;

/** Calls `onChange` after changes of files, or of the direct entries of directories, until it is disposed of. Calls without a change are possible. */
export function watchConfiguration(
  { hostFiles, clock, logger }: WatchConfigurationPorts,
  paths: readonly string[],
  onChange: () => void,
): Disposable {
  const stack = new DisposableStack();
  let quiet: Timer | undefined;
  stack.defer(() => quiet?.[Symbol.dispose]());
  const changed = (): void => {
    quiet?.[Symbol.dispose]();
    quiet = clock.setTimer(QUIET_MS, onChange);
  };
  for (const path of paths) {
    let watch: Disposable | undefined;
    let retry: Timer | undefined;
    stack.defer(() => {
      retry?.[Symbol.dispose]();
      watch?.[Symbol.dispose]();
    });
    const again = (error: unknown): void => {
      logger.debug('cannot watch the configuration, will be retried', { path, error: errorMessage(error) });
      retry = clock.setTimer(RETRY_MS, begin);
    };
    const begin = (): void => {
      try {
        watch = hostFiles.watch(path, { onChange: changed, onEnd: again });
      } catch (error) {
        again(error);
      }
    };
    begin();
  }
  return stack;
}

import type { StatusRestorer } from '@rxlet/agent-api/statuses';
import { createProblemLog, errorMessage, type Logger } from '@rxlet/component-base';

/** Combines the restorers of modules: the first that has a pod wins, and all of them record. A restorer that throws is logged, and affects neither statuses nor other restorers. */
export function combineRestorers(restorers: readonly StatusRestorer[], logger: Logger): StatusRestorer {
  const problems = createProblemLog(logger);
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      problems.failed('cannot keep or restore a pod status', { error: errorMessage(error) });
      return undefined;
    }
  };
  const each = (work: (restorer: StatusRestorer) => void): void => {
    for (const restorer of restorers) attempt(() => work(restorer));
  };
  return {
    async load() {
      for (const restorer of restorers) await restorer.load();
    },
    restored(podUid) {
      for (const restorer of restorers) {
        const status = attempt(() => restorer.restored(podUid));
        if (status !== undefined) return status;
      }
      return undefined;
    },
    record: (update) => each((restorer) => restorer.record(update)),
    forget: (podUid) => each((restorer) => restorer.forget(podUid)),
    retain: (podUids) => each((restorer) => restorer.retain(podUids)),
  };
}

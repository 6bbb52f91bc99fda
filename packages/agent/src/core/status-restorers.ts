import type { StatusRestorer } from '@rxlet/agent-api';

/** Joins the restorers of modules: the first that has a pod wins, and all of them record. */
export function combineRestorers(restorers: readonly StatusRestorer[]): StatusRestorer {
  return {
    async load() {
      for (const restorer of restorers) await restorer.load();
    },
    restored(podUid) {
      for (const restorer of restorers) {
        const status = restorer.restored(podUid);
        if (status !== undefined) return status;
      }
      return undefined;
    },
    record(update) {
      for (const restorer of restorers) restorer.record(update);
    },
    forget(podUid) {
      for (const restorer of restorers) restorer.forget(podUid);
    },
    retain(podUids) {
      for (const restorer of restorers) restorer.retain(podUids);
    },
  };
}

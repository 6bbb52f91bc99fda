import type { TerminationReason } from '../termination-reason.ts';

/** Expected state of one incarnation of a pod. */
export interface ModelLife {
  readonly uid: string;
  kind: 'waiting' | 'syncing' | 'terminating' | 'terminated' | 'finished';
  reason?: TerminationReason;
  grace: number;
  /** Grace period to which the node itself shortened a longer one. Attempts to stop the pod with a longer one are cancelled. */
  cutTo?: number;
  deleted: boolean;
  evicted: boolean;
  /** Version of the latest pod object for this incarnation. */
  version: number;
  successor?: number;
  /** Whether the stop may be skipped if the first status shows nothing. */
  endedEarlier: boolean;
}

/** Description of a pod object. */
export interface ModelPod {
  readonly uid: string;
  readonly version: number;
  /** Set on a pod that is being deleted. */
  readonly deletionGrace?: number;
  readonly failed?: boolean;
}

/** The rules of the workers, stated briefly and without time, concurrency or calls. Tests compare the workers with this model. */
export interface ReferenceModel {
  readonly lives: ReadonlyMap<string, ModelLife>;
  put(pod: ModelPod, isNew: boolean): void;
  end(uid: string, reason: TerminationReason, grace?: number): void;
  foundInRuntime(uid: string): void;
  retain(desired: ReadonlySet<string>): void;
  /** A step succeeded. `removed`: the clean-up removed everything. */
  stepEnded(uid: string, step: 'sync' | 'stop' | 'clean up', result: { completed?: boolean; removed?: boolean }): void;
  /** The first status of a step was read and shows that nothing runs. */
  nothingRuns(uid: string): void;
}

/** `named`: the pods that share one full name and must follow one another. All pods have a grace period of `specGrace`. */
export function createReferenceModel(named: ReadonlySet<string>, specGrace: number): ReferenceModel {
  const lives = new Map<string, ModelLife>();
  let holders: string[] = [];
  let queue: string[] = [];

  const begin = (uid: string, version: number, inRuntime: boolean): ModelLife => {
    const free = inRuntime || !named.has(uid) || holders.length === 0;
    if (named.has(uid)) (free ? holders : queue).push(uid);
    const fresh = { grace: 0, deleted: false, evicted: false, endedEarlier: false };
    const life: ModelLife = { uid, kind: free ? 'syncing' : 'waiting', version, ...fresh };
    lives.set(uid, life);
    return life;
  };
  const finish = (life: ModelLife): void => {
    life.kind = 'finished';
    queue = queue.filter((uid) => uid !== life.uid);
    holders = holders.filter((uid) => uid !== life.uid);
    if (holders.length === 0 && queue.length > 0) {
      holders = [queue.shift()!];
      lives.get(holders[0]!)!.kind = 'syncing';
    }
    if (life.successor !== undefined) begin(life.uid, life.successor, false);
  };
  const endLife = (life: ModelLife, reason: TerminationReason, ...graces: readonly (number | undefined)[]): void => {
    const given = graces.filter((grace) => grace !== undefined);
    if (life.kind === 'waiting' || life.kind === 'syncing') {
      life.reason = reason;
      life.grace = Math.max(1, given.length > 0 ? Math.min(...given) : specGrace);
      if (life.kind === 'waiting' && reason === 'orphaned') {
        queue = queue.filter((uid) => uid !== life.uid);
        holders.push(life.uid);
      }
      if (life.kind === 'waiting' && reason !== 'orphaned') finish(life);
      else life.kind = 'terminating';
    } else if (life.kind === 'terminating') {
      const grace = Math.max(1, Math.min(life.grace, ...given));
      if (grace < life.grace && (reason === 'evicted' || reason === 'killed')) life.cutTo = grace;
      life.grace = grace;
    }
    life.deleted ||= reason === 'deleted' || reason === 'orphaned';
    life.evicted ||= reason === 'evicted';
  };

  return {
    lives,
    put({ uid, version, deletionGrace, failed = false }, isNew) {
      const ends = deletionGrace !== undefined || failed;
      const known = lives.get(uid);
      if (known !== undefined && known.kind !== 'waiting' && known.kind !== 'syncing') {
        const follows = (isNew || known.successor !== undefined) && !ends;
        delete known.successor;
        if (follows) known.successor = version;
        if (follows && known.kind === 'finished') begin(uid, version, false);
        if (follows || known.kind === 'finished') return;
      }
      const life = known ?? begin(uid, version, false);
      life.endedEarlier ||= known === undefined && failed;
      life.version = version;
      if (deletionGrace !== undefined) endLife(life, 'deleted', deletionGrace);
      else if (failed) endLife(life, 'completed');
    },
    end(uid, reason, grace) {
      const life = lives.get(uid);
      if (life === undefined) return;
      delete life.successor;
      endLife(life, reason, grace);
    },
    foundInRuntime: (uid) => endLife(lives.get(uid) ?? begin(uid, 0, true), 'orphaned', 1),
    retain(desired) {
      for (const life of [...lives.values()]) {
        if (desired.has(life.uid)) continue;
        delete life.successor;
        endLife(life, 'deleted');
        if (life.kind === 'finished') lives.delete(life.uid);
      }
    },
    stepEnded(uid, step, { completed = false, removed = false }) {
      const life = lives.get(uid)!;
      if (step === 'sync' && completed && life.kind === 'syncing') endLife(life, 'completed');
      else if (step === 'stop') life.kind = 'terminated';
      else if (step === 'clean up' && (removed || !(life.deleted || life.evicted) || isFollowed(life))) finish(life);
    },
    nothingRuns(uid) {
      const life = lives.get(uid);
      if (life?.kind === 'terminating' && life.endedEarlier) life.kind = 'terminated';
    },
  };
}

/** Reports whether a successor restarts the containers of an incarnation. */
function isFollowed({ successor, evicted }: Pick<ModelLife, 'successor' | 'evicted'>): boolean {
  return successor !== undefined && !evicted;
}

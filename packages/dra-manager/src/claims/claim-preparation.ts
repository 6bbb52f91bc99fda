import { inSpan, type Journal, type JournalPod, noopJournal } from '@rxlet/agent-api/journal';
import type { Pod, ResourceV1ResourceClaim } from '@rxlet/kube-api';
import { errorMessage } from '@rxlet/component-base';
import { podUid } from '@rxlet/pod-model';
import type { DraPlugin } from '../plugins/dra-plugin.ts';
import { checkClaim } from './check-claim.ts';
import { claimKey, type ClaimRecord, type ClaimRecords } from './claim-record.ts';
import { createClaimTurns } from './claim-turns.ts';
import { claimsOfPod, type PodClaimOptions } from './pod-claims.ts';
import { type BatchOutcome, type PluginMethod, readAnswer } from './read-answer.ts';

type Plugin = Pick<DraPlugin, 'prepare' | 'unprepare'>;

/** Ports of {@link createClaimPreparation}. */
export interface ClaimPreparationPorts {
  readonly records: ClaimRecords;
  /** Reads a ResourceClaim from the API server, without a cache. Rejects with its message, also when there is none. */
  readClaim(namespace: string, name: string, signal: AbortSignal | undefined): Promise<ResourceV1ResourceClaim>;
  /** Returns the plugin of a driver. @throws Error with the kubelet's message */
  plugin(driver: string): Plugin;
  /** Gets a span for each call of a plugin. Default: none. */
  readonly journal?: Journal | undefined;
  /** Saves the records as they are at the call, or later. */
  save(): Promise<void>;
}

/**
 * Prepares claims before the first pod that uses them starts, and unprepares them when the last one has ended. A pod is recorded before the first call of a plugin, and
 * until the last one has succeeded, so that a restart of the agent at any moment leaves no claim prepared that no pod uses. Operations on the same claim follow each other.
 */
export interface ClaimPreparation {
  /** Prepares the claims of a pod that are not prepared yet. May be repeated. Rejects with the kubelet's message. */
  prepare(pod: Pod, signal?: AbortSignal): Promise<void>;
  /** Removes a pod from its claims, and unprepares those that no other pod uses. May be repeated. Rejects with the kubelet's message. */
  unprepare(podUid: string, signal?: AbortSignal): Promise<void>;
}

/** Deadline of each call of a plugin. */
const CALL_TIMEOUT_MS = 45_000;

/** Creates a {@link ClaimPreparation}. */
export function createClaimPreparation(ports: ClaimPreparationPorts, options: PodClaimOptions): ClaimPreparation {
  const { records, journal = noopJournal } = ports;
  const turns = createClaimTurns();
  /** Numbers of the last change of the records, of the last one that is known to be saved, and of those of pods that are not. */
  let lastChange = 0;
  let lastSaved = 0;
  const unsaved = new Map<string, number>();
  const changed = (uid: string): void => void unsaved.set(uid, ++lastChange);
  /** Saves the changes for a pod. Those of other pods that could not be saved do not concern it. */
  const save = async (uid: string, subject: 'cache' | 'state'): Promise<void> => {
    if ((unsaved.get(uid) ?? 0) > lastSaved) {
      const upTo = lastChange;
      try {
        await ports.save();
      } catch (error) {
        throw new Error(`checkpoint ResourceClaim ${subject}: ${errorMessage(error)}`, { cause: error });
      }
      lastSaved = Math.max(lastSaved, upTo);
    }
    if ((unsaved.get(uid) ?? 0) <= lastSaved) unsaved.delete(uid);
  };

  /** Reads and checks the claims of a pod, before anything is recorded: a pod that fails here can end without its drivers. */
  const readClaims = async (pod: Pod, signal: AbortSignal | undefined): Promise<readonly ClaimRecord[]> => {
    const namespace = pod.metadata?.namespace ?? '';
    const found: ClaimRecord[] = [];
    for (const used of claimsOfPod(pod, options)) {
      const claim = await ports.readClaim(namespace, used.name, signal).catch((error: unknown) => {
        signal?.throwIfAborted();
        throw new Error(`fetch ResourceClaim ${used.name}: ${errorMessage(error)}`, { cause: error });
      });
      const drivers = checkClaim(pod, used, claim);
      for (const driver of drivers) ports.plugin(driver);
      found.push({
        uid: claim.metadata?.uid ?? '',
        namespace,
        name: used.name,
        podUids: new Set(),
        drivers: new Map(drivers.map((driver) => [driver, []])),
        isPrepared: false,
      });
    }
    return found;
  };

  /** Adds a pod to the records of its claims. */
  const reference = (uid: string, claims: readonly ClaimRecord[]): readonly ClaimRecord[] => {
    const known = claims.map((claim) => [claim, records.find(claim.namespace, claim.name)] as const);
    for (const [claim, record] of known) {
      if (record !== undefined && record.uid !== claim.uid)
        throw new Error(
          `old ResourceClaim with same name ${claim.name} and different UID ${record.uid} still exists (previous pod force-deleted?!)`,
        );
    }
    return known.map(([claim, record]) => {
      if (record === undefined) records.add(claim);
      const referenced = record ?? claim;
      if (!referenced.podUids.has(uid)) changed(uid);
      referenced.podUids.add(uid);
      return referenced;
    });
  };

  /** Calls the plugins of all claims side by side, each once. A driver that hangs delays its own claims only. */
  const callPlugins = <Result extends { readonly error: string }>(
    method: PluginMethod,
    pod: JournalPod | undefined,
    claims: readonly ClaimRecord[],
    call: (plugin: Plugin, claims: readonly ClaimRecord[]) => Promise<ReadonlyMap<string, Result>>,
    signal: AbortSignal | undefined,
  ): ReadonlyMap<string, Promise<BatchOutcome<Result>>> => {
    const batchOf = async (driver: string): Promise<BatchOutcome<Result>> => {
      const batch = claims.filter(({ drivers }) => drivers.has(driver));
      const span = { kind: `dynamic-resources/${method}`, subject: driver, isQuiet: true } as const;
      let answer: ReadonlyMap<string, Result>;
      try {
        const plugin = ports.plugin(driver);
        answer = await inSpan(journal, pod, span, () => call(plugin, batch), signal).catch((error: unknown) => {
          throw new Error(`${method}: ${errorMessage(error)}`, { cause: error });
        });
      } catch (error) {
        return { succeeded: new Map(), error: error as Error };
      }
      return readAnswer(method, batch, answer);
    };
    const drivers = new Set(claims.flatMap((claim) => [...claim.drivers.keys()]));
    return new Map([...drivers].map((driver) => [driver, batchOf(driver)]));
  };

  return {
    async prepare(pod, signal) {
      const claims = await readClaims(pod, signal);
      if (claims.length === 0) return;
      using held = await turns.take(claims.map(keyOf), signal);
      const used = reference(podUid(pod), claims);
      await save(podUid(pod), 'cache');
      const pending = used.filter(({ isPrepared }) => !isPrepared);
      for (const claim of used) if (claim.isPrepared) held.end(keyOf(claim));
      const call = { timeoutMs: CALL_TIMEOUT_MS, signal };
      const prepareBatch = (plugin: Plugin, batch: readonly ClaimRecord[]) => plugin.prepare(batch, call);
      const outcomes = callPlugins('NodePrepareResources', pod.metadata, pending, prepareBatch, signal);
      await Promise.all(
        pending.map(async (claim) => {
          const drivers = [...claim.drivers.keys()];
          const results = await Promise.all(drivers.map((driver) => outcomes.get(driver)!));
          drivers.forEach((driver, index) => {
            const prepared = results[index]!.succeeded.get(claim.uid);
            if (prepared !== undefined) claim.drivers.set(driver, prepared.devices);
          });
          claim.isPrepared = results.every(({ succeeded }) => succeeded.has(claim.uid));
          changed(podUid(pod));
          held.end(keyOf(claim));
        }),
      );
      await save(podUid(pod), 'state');
      await throwFirst(outcomes.values(), signal);
    },

    async unprepare(uid, signal) {
      const claims = records.ofPod(uid);
      using held = await turns.take(claims.map(keyOf), signal);
      const last: ClaimRecord[] = [];
      // An operation that held the claims before may have removed the pod.
      for (const claim of claims.filter(({ podUids }) => podUids.has(uid))) {
        if (claim.podUids.size === 1) last.push(claim);
        else {
          claim.podUids.delete(uid);
          changed(uid);
          held.end(keyOf(claim));
        }
      }
      // From here on a claim counts as unprepared, whatever becomes of the call.
      for (const claim of last) claim.isPrepared = false;
      const call = { timeoutMs: CALL_TIMEOUT_MS, signal };
      const unprepareBatch = (plugin: Plugin, batch: readonly ClaimRecord[]) => plugin.unprepare(batch, call);
      const outcomes = callPlugins('NodeUnprepareResources', { uid }, last, unprepareBatch, signal);
      await Promise.all(
        last.map(async (claim) => {
          const results = await Promise.all([...claim.drivers.keys()].map((driver) => outcomes.get(driver)!));
          if (results.every(({ succeeded }) => succeeded.has(claim.uid))) {
            records.delete(claim);
            claim.podUids.delete(uid);
            changed(uid);
          }
          held.end(keyOf(claim));
        }),
      );
      await save(uid, 'state');
      await throwFirst(outcomes.values(), signal);
    },
  };
}

function keyOf({ namespace, name }: ClaimRecord): string {
  return claimKey(namespace, name);
}

async function throwFirst(
  outcomes: Iterable<Promise<BatchOutcome<unknown>>>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const failed = (await Promise.all(outcomes)).find(({ error }) => error !== undefined);
  if (failed === undefined) return;
  signal?.throwIfAborted();
  throw failed.error!;
}

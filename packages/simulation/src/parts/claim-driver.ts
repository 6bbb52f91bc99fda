import { abortable, onAbort, sleep } from '@rxlet/component-base';
import type { ClaimDevice, DraPlugin, PluginClaim, PreparedClaim } from '@rxlet/dra-manager';
import { PluginCallError, type PluginCallOptions, withCallDeadline } from '@rxlet/node-plugins';
import { type AgentLife, killableFiles } from '@rxlet/testing';
import type { PartContext } from './world-part.ts';
import { allocatedDevice, claimOf } from './claim-controller.ts';

const CDI_CLASS = '/claim=';

/** Returns the UIDs of the claims behind CDI devices. */
export function claimsOfCdiDevices(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => name.split(CDI_CLASS)[1] ?? []);
}

/** How the calls of a driver end. `lost` have their effect, and an error as their answer. */
export type AnswersOfDriver = 'sound' | 'failed' | 'lost';

/** A DRA driver. It outlives agents, and records what it has prepared, so that it survives its own restarts, but not a loss of power. */
export interface ClaimDriver {
  /** Prepared devices by UID of their claim. */
  readonly prepared: ReadonlyMap<string, string>;
  answers: AnswersOfDriver;
  /** Whether its process runs. A call in flight at its end has no effect. */
  isAlive: boolean;
  /** Lets calls wait, or continues them. They have their effect also after the agent has given up. */
  isHanging: boolean;
  /** Ends its process, and forgets everything, as a driver does whose state is below `/run`. One that was alive runs again. */
  powerOff(): void;
  /** Connects the agent of a life. */
  connect(life: AgentLife): DraPlugin;
}

/** Creates a {@link ClaimDriver}. It carries out calls one after the other, as drivers do by default, and never prepares a device for two claims. */
export function createClaimDriver(
  driverName: string,
  { cluster, history, runtime, latencyMs }: PartContext,
): ClaimDriver {
  const { node, kube } = cluster;
  const { clock } = node;
  const prepared = new Map<string, string>();
  const watchers = new Set<(isOpen: boolean) => void>();
  /** Ends with the process. */
  let process: AbortController | undefined = new AbortController();
  let hang: PromiseWithResolvers<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };

  const prepare = ({ uid, namespace, name }: PluginClaim): PreparedClaim => {
    let device = prepared.get(uid);
    const change = device === undefined ? 'prepared' : 'confirmed';
    if (device === undefined) {
      const claim = claimOf(kube, namespace, name);
      const allocated = claim?.metadata?.uid === uid ? allocatedDevice(claim) : undefined;
      if (allocated === undefined) return { error: `ResourceClaim ${name} is not allocated`, devices: [] };
      const holder = [...prepared].find(([, other]) => other === allocated)?.[0];
      if (holder !== undefined) return { error: `${allocated} is prepared for ${holder}`, devices: [] };
      device = allocated;
      prepared.set(uid, device);
    }
    runtime.look();
    history.add({ kind: 'claim', change, claim: uid, device });
    return { error: '', devices: [preparedDevice(driverName, uid, device)] };
  };
  const unprepare = ({ uid }: PluginClaim): Pick<PreparedClaim, 'error'> => {
    const device = prepared.get(uid);
    if (device !== undefined) {
      prepared.delete(uid);
      runtime.look();
      history.add({ kind: 'claim', change: 'unprepared', claim: uid, device });
    }
    return { error: '' };
  };
  const call = <Result extends Pick<PreparedClaim, 'error'>>(
    claims: readonly PluginClaim[],
    options: PluginCallOptions,
    carryOut: (claim: PluginClaim) => Result,
  ): Promise<ReadonlyMap<string, Result>> =>
    withCallDeadline(clock, options, (signal) => {
      const life = process?.signal ?? AbortSignal.abort(unavailable());
      const answer = inTurn(async () => {
        if (latencyMs > 0) await sleep(clock, latencyMs, life);
        await abortable(hang?.promise ?? Promise.resolve(), life);
        life.throwIfAborted();
        if (driver.answers === 'failed') throw internal();
        const results = claims.map((claim) => [claim.uid, carryOut(claim)] as const);
        if (driver.answers === 'lost') throw internal();
        return new Map(results);
      });
      return abortable(answer, signal);
    });

  const driver: ClaimDriver = {
    prepared,
    answers: 'sound',
    get isAlive() {
      return process !== undefined;
    },
    set isAlive(isAlive) {
      if (isAlive === (process !== undefined)) return;
      process?.abort(unavailable());
      process = isAlive ? new AbortController() : undefined;
      for (const watcher of watchers) watcher(isAlive);
    },
    get isHanging() {
      return hang !== undefined;
    },
    set isHanging(isHanging) {
      if (isHanging) {
        hang ??= Promise.withResolvers();
      } else {
        hang?.resolve();
        hang = undefined;
      }
    },
    powerOff() {
      const { isAlive } = driver;
      driver.isAlive = false;
      prepared.clear();
      driver.isAlive = isAlive;
    },
    connect(life) {
      let watcher: ((isOpen: boolean) => void) | undefined;
      const close = (): void => void (watcher && watchers.delete(watcher));
      return {
        ...killableFiles(
          {
            prepare: (claims: readonly PluginClaim[], options: PluginCallOptions) => call(claims, options, prepare),
            unprepare: (claims: readonly PluginClaim[], options: PluginCallOptions) => call(claims, options, unprepare),
          },
          life,
        ),
        watchHealth: () => Promise.reject(new PluginCallError('Unimplemented', 'unknown service')),
        keepOpen(onChange) {
          watchers.add((watcher = onChange));
          onAbort(life.signal, close);
          if (driver.isAlive) onChange(true);
        },
        [Symbol.dispose]: close,
      };
    },
  };
  return driver;
}

function preparedDevice(driverName: string, claim: string, deviceName: string): ClaimDevice {
  return { poolName: 'pool', deviceName, requestNames: [], cdiDeviceIds: [`${driverName}${CDI_CLASS}${claim}`] };
}

const unavailable = (): PluginCallError => new PluginCallError('Unavailable', 'the driver is down');
const internal = (): PluginCallError => new PluginCallError('Internal', 'injected');

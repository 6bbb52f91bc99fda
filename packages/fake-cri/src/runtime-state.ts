import type { Clock, Logger, Random } from '@rxlet/component-base';
import type { Container, Sandbox } from './runtime-objects.ts';
import { createEventHub } from './event-hub.ts';
import { createFaultyEvents, type FaultyEventHub } from './faults/event-faults.ts';
import { createImageStore, type ImageStore } from './image-store.ts';
import { createIpPool, type IpPool } from './ip-pool.ts';
import type { LogSink } from './logs/log-sink.ts';
import { createPodNetwork, type OwnedPodNetwork } from './network/pod-network.ts';
import { createNamedStore, type NamedStore } from './named-store.ts';
import type { ResolvedOptions } from './options.ts';
import type { HostFiles } from './fs/host-files.ts';
import { createScriptStore, type ScriptStore } from './scripts/script-store.ts';
import { createTimestamps, type Timestamps } from './timestamps.ts';

/** State of a fake runtime: its ports and its objects. The RPCs are functions on it. */
export interface RuntimeState {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly logs: LogSink;
  readonly hostFiles: HostFiles;
  readonly options: ResolvedOptions;
  readonly timestamps: Timestamps;
  readonly sandboxes: NamedStore<Sandbox>;
  readonly containers: NamedStore<Container>;
  readonly images: ImageStore;
  readonly ips: IpPool;
  readonly network: OwnedPodNetwork;
  readonly events: FaultyEventHub;
  readonly scripts: ScriptStore;
  /** Whether Status reports the network of pods as ready. */
  isNetworkReady: boolean;
  /** Called after each change to sandboxes and containers. */
  readonly onChange: () => void;
  /** Returns a process id that was not used before. */
  nextPid(): number;
}

/** Creates the state of a runtime without objects but the initially present images. */
export function createRuntimeState(
  ports: { clock: Clock; random: Random; logger: Logger; logs: LogSink; hostFiles: HostFiles; onChange: () => void },
  options: ResolvedOptions,
): RuntimeState {
  let lastPid = 1000;
  return {
    ...ports,
    options,
    timestamps: createTimestamps(ports.clock),
    sandboxes: createNamedStore('sandbox'),
    containers: createNamedStore('container'),
    images: createImageStore(ports.clock, options),
    ips: createIpPool(options.podCidr, options.podNetwork === 'loopback' ? 'loopback' : 'any'),
    network: createPodNetwork(ports.logger, options.podNetwork),
    events: createFaultyEvents(createEventHub(options.eventQueueSize), ports.clock, ports.random),
    scripts: createScriptStore(options.scripts),
    isNetworkReady: true,
    nextPid: () => ++lastPid,
  };
}

/** Returns a new object id: 64 hex digits. */
export function newId(state: RuntimeState): string {
  return state.random.hex(32);
}

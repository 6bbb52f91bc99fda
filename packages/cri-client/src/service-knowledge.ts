import { isLaterThanV1alpha2 } from './older-version.ts';

/** A version of the CRI that this client speaks. */
export type CriApiVersion = 'v1' | 'v1alpha2';

/** Whether the connected runtime has an RPC; `unknown` until it was asked. */
export type Capability = 'yes' | 'no' | 'unknown';

/**
 * What is known of one service of the connected runtime, from its own answers. It holds for one connection: the next one may lead to another version of
 * the runtime, so nothing of it is kept.
 *
 * An epoch is the number of a connection, `undefined` while there is none. An answer counts if it came by the present connection; a call that was made
 * without one went out by the next.
 */
export interface ServiceKnowledge {
  /** Unknown until the runtime answered a call on this connection. */
  version(): CriApiVersion | undefined;
  capability(rpc: string): Capability;
  /** The runtime answered `rpc`, by a result or by a refusal of its own. */
  noteAnswer(rpc: string, version: CriApiVersion, epochAtStart: number | undefined): void;
  /** The runtime has no `rpc`. */
  noteMissing(rpc: string, epochAtStart: number | undefined): void;
}

/** Creates a {@link ServiceKnowledge}; `epoch` gives the present one. */
export function createServiceKnowledge(epoch: () => number | undefined): ServiceKnowledge {
  let epochOfKnowledge: number | undefined;
  let version: CriApiVersion | undefined;
  const capabilities = new Map<string, 'yes' | 'no'>();

  const forgetOldConnection = (): void => {
    if (epoch() === epochOfKnowledge) return;
    epochOfKnowledge = epoch();
    version = undefined;
    capabilities.clear();
  };
  const isPresent = (epochAtStart: number | undefined): boolean => {
    forgetOldConnection();
    return epochOfKnowledge !== undefined && (epochAtStart ?? epochOfKnowledge) === epochOfKnowledge;
  };
  return {
    version() {
      forgetOldConnection();
      return version;
    },
    capability(rpc) {
      forgetOldConnection();
      if (version === 'v1alpha2' && isLaterThanV1alpha2(rpc)) return 'no';
      return capabilities.get(rpc) ?? 'unknown';
    },
    noteAnswer(rpc, answeredVersion, epochAtStart) {
      if (!isPresent(epochAtStart)) return;
      version ??= answeredVersion;
      capabilities.set(rpc, 'yes');
    },
    noteMissing(rpc, epochAtStart) {
      if (isPresent(epochAtStart)) capabilities.set(rpc, 'no');
    },
  };
}

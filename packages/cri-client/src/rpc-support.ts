import { isLaterThanV1alpha2 } from './older-version.ts';

/** A version of the CRI that this client supports. */
export type CriApiVersion = 'v1' | 'v1alpha2';

/** Support of the connected runtime for an RPC; `unknown` until the RPC was called. */
export type Capability = 'yes' | 'no' | 'unknown';

/**
 * Support of the RPCs of one service by the connected runtime, learned from its responses. It is reset with each new connection, which may lead to another version of the
 * runtime.
 *
 * An epoch is the number of a connection, `undefined` while there is none. An answer counts if it came on the current connection; a call that was made without
 * one was sent on the next.
 */
export interface RpcSupport {
  /** Returns the version in use; `undefined` until the runtime has answered a call on this connection. */
  version(): CriApiVersion | undefined;
  capability(rpc: string): Capability;
  /** Records that the runtime answered `rpc`, by a response or an error of its own. */
  recordResponse(rpc: string, version: CriApiVersion, epochAtStart: number | undefined): void;
  /** Records that the runtime lacks `rpc`. */
  recordMissing(rpc: string, epochAtStart: number | undefined): void;
}

/** Creates a {@link RpcSupport}; `epoch` returns the current one. */
export function createRpcSupport(epoch: () => number | undefined): RpcSupport {
  let recordedEpoch: number | undefined;
  let version: CriApiVersion | undefined;
  const capabilities = new Map<string, 'yes' | 'no'>();

  const forgetOldConnection = (): void => {
    if (epoch() === recordedEpoch) return;
    recordedEpoch = epoch();
    version = undefined;
    capabilities.clear();
  };
  const isPresent = (epochAtStart: number | undefined): boolean => {
    forgetOldConnection();
    return recordedEpoch !== undefined && (epochAtStart ?? recordedEpoch) === recordedEpoch;
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
    recordResponse(rpc, answeredVersion, epochAtStart) {
      if (!isPresent(epochAtStart)) return;
      version ??= answeredVersion;
      capabilities.set(rpc, 'yes');
    },
    recordMissing(rpc, epochAtStart) {
      if (isPresent(epochAtStart)) capabilities.set(rpc, 'no');
    },
  };
}

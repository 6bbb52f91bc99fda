import { create, toBinary } from '@bufbuild/protobuf';
import { ImageServiceDescriptor, RuntimeServiceDescriptor, StatusCode } from '@rxlet/cri-api';
import type { ActiveCall, CallInit } from './active-call.ts';
import type { CriError } from './cri-error.ts';
import { v1alpha2Path } from './older-version.ts';
import { type RpcMethod, rpcPath } from './rpc-method.ts';
import type { CriApiVersion } from './rpc-support.ts';
import { capabilityMissing } from './status-error.ts';

/** RPC that shows whether a service exists. Every CRI has it, and it has no effects. */
const PROBES = new Map(
  [RuntimeServiceDescriptor.method.version, ImageServiceDescriptor.method.listImages].map((probe) => [
    probe.parent.typeName,
    probe,
  ]),
);

/**
 * Makes a call in the runtime's version of the CRI, which the first answers on each connection determine:
 *
 * ```text
 *   the RPC in v1 ── Unimplemented ──▶ has v1 the service at all? ── no ──▶ the RPC in v1alpha2
 *         │                                      │ yes                        │            │ Unimplemented
 *      answered: v1                    v1, and the RPC is missing     answered: v1alpha2   the RPC is missing ```
 *
 * Unimplemented means that the call had no effect, so the next step is safe with every RPC. All steps share the deadline of the call. The request is the same
 * in both versions: v1alpha2 is encoded alike, and a runtime ignores unknown fields.
 */
export function startNegotiatedCall(method: RpcMethod, init: Omit<CallInit, 'path' | 'subject'>): ActiveCall {
  const { connection, rpcSupport: rpcSupport, clock, subject, descriptor } = method;
  const rpc = descriptor.name;
  const paths = { v1: rpcPath(descriptor), v1alpha2: v1alpha2Path(descriptor) };
  const probe = PROBES.get(descriptor.parent.typeName)!;
  const startedMs = clock.monotonicNow();
  const epochAtStart = connection.epoch;

  const send = (path: string, callbacks: Pick<CallInit, 'onMessage' | 'onEnd'>, request = init.request): void => {
    // The signal cannot have aborted: that would have ended the previous step.
    const timeoutMs = Math.max(1, init.timeoutMs - (clock.monotonicNow() - startedMs));
    step = connection.call({ ...init, ...callbacks, path, subject, request, timeoutMs });
  };
  const attempt = (version: CriApiVersion, onUnimplemented: (error: CriError) => void): void => {
    send(paths[version]!, {
      onMessage(message) {
        rpcSupport.recordResponse(rpc, version, epochAtStart);
        init.onMessage(message);
      },
      onEnd(error) {
        if (error?.code === StatusCode.Unimplemented) {
          onUnimplemented(error);
          return;
        }
        if (isAnswer(error)) rpcSupport.recordResponse(rpc, version, epochAtStart);
        init.onEnd(error);
      },
    });
  };
  /** Reports whether the service exists in a version; sends none of the caller's data. */
  const tryVersion = (version: CriApiVersion, onFound: (isThere: boolean) => void): void => {
    const callbacks = {
      onMessage: () => undefined,
      onEnd(error: CriError | undefined) {
        if (error?.code === StatusCode.Unimplemented) {
          onFound(false);
        } else if (isAnswer(error)) {
          rpcSupport.recordResponse(probe.name, version, epochAtStart);
          onFound(true);
        } else {
          init.onEnd(error);
        }
      },
    };
    const request = Buffer.from(toBinary(probe.input, create(probe.input)));
    send(version === 'v1' ? rpcPath(probe) : v1alpha2Path(probe)!, callbacks, request);
  };
  const fail = (error: CriError): void => {
    if (error.kind === 'unimplemented') rpcSupport.recordMissing(rpc, epochAtStart);
    init.onEnd(error);
  };
  const fallBack = (errorInV1: CriError): void => {
    if (paths.v1alpha2 !== undefined) {
      attempt('v1alpha2', (error) => fail(errorInV1.kind === 'not-a-cri' ? error : errorInV1));
      return;
    }
    tryVersion('v1alpha2', (isThere) =>
      fail(isThere ? capabilityMissing(subject, { cached: false, details: errorInV1.details }) : errorInV1),
    );
  };
  const negotiate = (error: CriError): void => {
    if (rpcSupport.version() === 'v1') fail(error);
    else if (error.kind === 'not-a-cri') fallBack(error);
    else tryVersion('v1', (isThere) => (isThere ? fail(error) : fallBack(error)));
  };

  let step!: ActiveCall;
  if (rpcSupport.version() === 'v1alpha2' && paths.v1alpha2 !== undefined) attempt('v1alpha2', fail);
  else attempt('v1', negotiate);
  return {
    subject,
    get sent() {
      return step.sent;
    },
    read: () => step.read(),
    end: (error) => step.end(error),
  };
}

/** Reports whether the runtime itself answered a call that ended in this way. */
function isAnswer(error: CriError | undefined): boolean {
  return (
    error === undefined ||
    error.kind === 'runtime-not-ready' ||
    (error.kind === 'rejected' && error.code !== StatusCode.Canceled)
  );
}

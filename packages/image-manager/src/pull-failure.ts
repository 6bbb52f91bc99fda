import { callErrorCode, StatusCode } from '@rxlet/cri-api';
import { errorMessage } from '@rxlet/component-base';
import type { ImageErrorReason } from './image-error.ts';

/** Why a pull failed, in the terms of a container's waiting state. */
export interface PullFailure {
  readonly reason: Extract<ImageErrorReason, 'ErrImagePull' | 'RegistryUnavailable' | 'SignatureValidationFailed'>;
  readonly message: string;
}

const codeNames: ReadonlyMap<number, string> = new Map(Object.entries(StatusCode).map(([name, code]) => [code, name]));

/**
 * The runtime's words on a failed call, in the form that a kubelet shows: with the gRPC code in front, unless that is Unknown, by which a runtime
 * says that its text is all there is.
 */
export function runtimeMessage(error: unknown): string {
  const text = runtimeDetails(error) || errorMessage(error);
  const code = callErrorCode(error);
  if (code === undefined || code === StatusCode.Unknown) return text;
  return `rpc error: code = ${codeNames.get(code) ?? String(code)} desc = ${text}`;
}

/** Errors of a connection carry the runtime's own text apart from their message. */
function runtimeDetails(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('details' in error)) return '';
  return typeof error.details === 'string' ? error.details : '';
}

/**
 * Sorts a failed pull: a runtime marks two causes by the first word of its message (`k8s.io/cri-api/pkg/errors`), whatever the gRPC code.
 * `image` is as the pod's author wrote it.
 */
export function classifyPullFailure(image: string, error: unknown): PullFailure {
  const text = runtimeDetails(error) || errorMessage(error);
  const marked = /^(RegistryUnavailable|SignatureValidationFailed)(.*)$/s.exec(text);
  switch (marked?.[1]) {
    case 'RegistryUnavailable':
      return {
        reason: 'RegistryUnavailable',
        message: `image pull failed for ${image} because the registry is unavailable${marked[2]!}`,
      };
    case 'SignatureValidationFailed':
      return {
        reason: 'SignatureValidationFailed',
        message: `image pull failed for ${image} because the signature validation failed${marked[2]!}`,
      };
    default:
      return { reason: 'ErrImagePull', message: runtimeMessage(error) };
  }
}

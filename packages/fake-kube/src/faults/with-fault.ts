import { once } from 'node:events';
import { ApiError } from '../api-error.ts';
import type { User } from '../auth/user.ts';
import type { ObjectRequest } from '../request/parse-request.ts';
import {
  type ApiRequest,
  type ApiResponse,
  type RoutedResponse,
  ConnectionLostError,
  errorResponse,
  textResponse,
} from '../server/api-message.ts';
import type { FaultAction, FaultSubject } from './faults.ts';

/** Returns the attributes of a request by which faults are selected. */
export function faultSubjectOf(
  { method }: ApiRequest,
  { request, user }: { readonly request: ObjectRequest | undefined; readonly user: User },
): FaultSubject {
  return {
    verb: request?.verb ?? method.toLowerCase(),
    resource: request?.type.plural ?? '',
    subresource: request?.subresource ?? '',
    namespace: request?.namespace ?? '',
    name: request?.name ?? '',
    user: user.name,
  };
}

/** Answers a request as the fault demands. `run` handles it. */
export async function withFault(
  action: FaultAction | undefined,
  isWatch: boolean,
  signal: AbortSignal,
  run: () => RoutedResponse,
): Promise<RoutedResponse> {
  switch (action?.type) {
    case undefined:
    case 'delay':
      return run();
    case 'error': {
      const { reason, message = reason, retryAfterSeconds } = action;
      return errorResponse(new ApiError(reason, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds }));
    }
    case 'drop': {
      if (action.when === 'after') {
        const { body } = run();
        // Ends a watch that has no reader.
        await body[Symbol.asyncIterator]().return?.();
      }
      throw new ConnectionLostError('ECONNRESET');
    }
    case 'silent':
      if (isWatch) return silentWatch(signal);
      return hang(signal);
    case 'hang':
      return hang(signal);
    case 'rewrite': {
      const response = run();
      return { ...response, body: rewritten(response.body, action.rewrite) };
    }
    case 'garbage':
      return isWatch ? garbledWatch() : textResponse(200, '<html>not an API server</html>');
  }
}

function garbledWatch(): ApiResponse {
  const body = (async function* (): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('{"type":"ADDED","object":\n');
  })();
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

async function* rewritten(
  body: AsyncIterable<Uint8Array>,
  rewrite: (text: string) => string,
): AsyncGenerator<Uint8Array> {
  // An answer, or a line of a watch, is one chunk.
  for await (const chunk of body) yield new TextEncoder().encode(rewrite(new TextDecoder().decode(chunk)));
}

async function hang(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw new ConnectionLostError('ECONNRESET');
}

function silentWatch(signal: AbortSignal): ApiResponse {
  const body = (async function* (): AsyncGenerator<Uint8Array> {
    await hang(signal);
  })();
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

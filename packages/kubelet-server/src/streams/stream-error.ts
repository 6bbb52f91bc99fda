import { EndpointError } from '@rxlet/agent-api/http';
import { callErrorCode, callErrorText, StatusCode } from '@rxlet/cri-api';

/** Seconds after which the runtime has forgotten streams that no client came for. */
const RETRY_AFTER_SECONDS = '60';

/** Rejects with the answer to a failed call of the runtime. */
export function streamError(error: unknown): never {
  const message = callErrorText(error);
  switch (callErrorCode(error)) {
    case StatusCode.NotFound:
      throw new EndpointError(404, message);
    case StatusCode.ResourceExhausted:
      throw new EndpointError(429, message, { 'retry-after': RETRY_AFTER_SECONDS });
    default:
      throw new EndpointError(500, message);
  }
}

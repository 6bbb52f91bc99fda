import { type Clock, DeadlineExceededError, withDeadline } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import { httpGet, HttpError, type HttpPort, requestUrl } from '@rxlet/component-base/http';
import type { HTTPGetAction } from '@rxlet/kube-api';
import { httpGetRequest } from '@rxlet/pod-model';
import { ProbeError, type ProbeOutcome, type ProbeRequest } from '../probe-runner.ts';
import { MAX_OUTPUT_BYTES, outputText } from './output.ts';
import { orProbeError, probeHost } from './pod-address.ts';

/** Ports of HTTP probes. */
export interface HttpProbeContext {
  readonly http: HttpPort;
  readonly clock: Clock;
  readonly userAgent: string;
}

/** Messages of Go's client for a timeout before and after the headers. */
const HEADERS_TIMEOUT = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const BODY_TIMEOUT = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';

/**
 * Sends a GET. Statuses from 200 to 399 are a success. A redirect to another host is not followed and is a success with a warning.
 *
 * The timeout covers redirects and body. As in the kubelet, a body that breaks off or exceeds the timeout gives no result.
 */
export async function runHttpProbe(
  { http, clock, userAgent }: HttpProbeContext,
  probe: ProbeRequest,
  action: HTTPGetAction,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const request = orProbeError(() =>
    httpGetRequest(action, probe.container, { hostname: probeHost(action.host, probe), userAgent }),
  );
  let hasHeaders = false;
  try {
    const { status, body, bodyError } = await withDeadline(clock, probe.timeoutMs, signal, (deadline) =>
      httpGet(http, request, {
        maxBodyBytes: MAX_OUTPUT_BYTES,
        signal: deadline,
        onHeaders: () => (hasHeaders = true),
      }),
    );
    if (bodyError !== undefined) throw new ProbeError('failure', bodyError);
    if (status < 200 || status >= 400) {
      return { result: 'failure', output: `HTTP probe failed with statuscode: ${String(status)}` };
    }
    const text = outputText(body);
    return status < 300
      ? { result: 'success', output: text }
      : { result: 'warning', output: `Probe terminated redirects, Response body: ${text}` };
  } catch (error) {
    if (error instanceof HttpError) return { result: 'failure', output: error.message };
    if (!(error instanceof DeadlineExceededError)) throw error;
    if (hasHeaders) throw new ProbeError('failure', BODY_TIMEOUT);
    return { result: 'failure', output: `Get ${goQuote(requestUrl(request))}: ${HEADERS_TIMEOUT}` };
  }
}

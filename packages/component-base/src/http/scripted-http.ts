import type { HttpGetOptions, HttpGetRequest, HttpGetResponse, HttpPort } from './http-port.ts';

/** An {@link HttpPort} with scripted responses that records its requests. */
export interface ScriptedHttp extends HttpPort {
  readonly requests: readonly HttpGetRequest[];
}

/** Creates a {@link ScriptedHttp}. A response defaults to status 200 and an empty body. */
export function scriptedHttp(
  answer: (request: HttpGetRequest, options: HttpGetOptions) => Partial<HttpGetResponse> | Promise<HttpGetResponse>,
): ScriptedHttp {
  const requests: HttpGetRequest[] = [];
  return {
    requests,
    get: async (request, options) => {
      requests.push(request);
      const answered = await answer(request, options);
      return { status: 200, location: undefined, body: new Uint8Array(), bodyError: undefined, ...answered };
    },
  };
}

import type { HttpGetOptions, HttpGetRequest, HttpGetResponse, HttpPort } from './http-port.ts';

/** An {@link HttpPort} that answers as told and remembers what it was asked. */
export interface ScriptedHttp extends HttpPort {
  readonly requests: readonly HttpGetRequest[];
}

/** Creates a {@link ScriptedHttp}. What an answer leaves out is status 200 and an empty body. */
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

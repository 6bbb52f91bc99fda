export { type BrowserRequest, browserRequestProblem, isBrowserRequest } from './http/browser-request.ts';
export { type Environment, environmentProxy } from './http/environment-proxy.ts';
export { httpGet } from './http/http-get.ts';
export {
  hostAndPort,
  HttpError,
  type HttpErrorReason,
  type HttpGetOptions,
  type HttpGetRequest,
  type HttpGetResponse,
  type HttpPort,
  requestUrl,
} from './http/http-port.ts';
export { nodeHttp } from './http/node-http.ts';
export { transportErrorText } from './http/transport-error.ts';

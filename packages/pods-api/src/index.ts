export { podsApi } from './pods-api-module.ts';
export { createPodsApi, type PodsApi, type PodsApiEvent, type PodsApiPorts } from './create-pods-api.ts';
export { PodsApiError, type PodsApiErrorReason } from './pods-api-error.ts';
export { servePodsApi } from './serve-pods-api.ts';
export { encodePod } from './wire/encode-pod.ts';
export { PodEncodingError } from './wire/encoding-error.ts';

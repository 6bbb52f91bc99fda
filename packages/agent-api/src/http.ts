export { EndpointError } from './endpoint-error.ts';
export { countParameter, flagParameter, timeParameter } from './endpoint-parameters.ts';
export { type EndpointRequest, type EndpointResponse, type HttpEndpoint, httpEndpoints } from './http-endpoint.ts';

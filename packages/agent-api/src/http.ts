export { EndpointError } from './endpoint-error.ts';
export { type EndpointRequest, type EndpointResponse, type HttpEndpoint, httpEndpoints } from './http-endpoint.ts';

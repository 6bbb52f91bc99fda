export {
  EndpointError,
  type EndpointRequest,
  type EndpointResponse,
  type HttpEndpoint,
  httpEndpoints,
} from './http-endpoint.ts';

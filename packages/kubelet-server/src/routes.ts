export { type AccessControl, createAccessControl } from './access/access-control.ts';
export { createWebhookAuthorizer } from './access/authorizer.ts';
export { createTokenAuthenticator } from './access/bearer-token.ts';
export { type Identity } from './access/identity.ts';
export { healthRoutes } from './endpoints/health.ts';
export { kubeletHealthChecks } from './endpoints/kubelet-health-checks.ts';
export { type EndpointSwitches, kubeletRoutes, readOnlyRoutes } from './endpoints/kubelet-routes.ts';
export type { Route } from './routing/route.ts';
export { createServerHandler, type ServerHandler, type ServerHandlerPorts } from './server-handler.ts';

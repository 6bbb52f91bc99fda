export { createDirectImageEnsurer, imageFailure } from './testing/direct-image-ensurer.ts';
export { withCallTimeout } from './testing/with-call-timeout.ts';

/**
 * Changes the image of a service, as a person would who edits its manifest.
 *
 * Usage: node examples/quickstart/set-image.mjs NAME IMAGE
 * The registry is the one that ECSM_REGISTRY names.
 */
import { ECSMService } from '@ecsm/operator';
import { defaultStoreUrl, isApiError, openRegistry } from '@ecsm/runtime';

const [name, image] = process.argv.slice(2);
if (name === undefined || image === undefined) {
  console.error('Usage: node examples/quickstart/set-image.mjs NAME IMAGE');
  process.exit(2);
}
const registry = await openRegistry(defaultStoreUrl(process.env), { kinds: [ECSMService] });
try {
  const { metadata, spec } = await registry.resource(ECSMService).patch(name, { spec: { template: { image } } });
  console.log(`${name} wants ${spec.template.image} now, in generation ${metadata.generation}`);
} catch (error) {
  if (!isApiError(error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await registry.close();
}

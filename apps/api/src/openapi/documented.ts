import type { ResourceDocumentation } from '@app/representations';
import { applyDecorators, type INestApplicationContext } from '@nestjs/common';
import { DiscoveryService, ModulesContainer } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';

const Documentation = DiscoveryService.createDecorator<ResourceDocumentation>();

export function Documented(documentation: ResourceDocumentation): ClassDecorator {
  return applyDecorators(Documentation(documentation), ApiTags(documentation.tag));
}

export function documentationOf(app: INestApplicationContext): ResourceDocumentation[] {
  const discovery = new DiscoveryService(app.get(ModulesContainer));
  return discovery
    .getControllers({ metadataKey: Documentation.KEY })
    .flatMap((controller) => discovery.getMetadataByDecorator(Documentation, controller) ?? []);
}

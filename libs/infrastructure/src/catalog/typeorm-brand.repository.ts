import { BrandRepository, type BrandFilter, type BrandRecord, type Page, type PageOf } from '@app/application';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { slugIs } from './has-slug.js';
import { pageWithTotal } from '../lists/page-with-total.js';
import { isDeep, matchesNothing, NO_ROWS } from '../lists/paging.js';
import { Database } from '../postgres/database.js';
import { BrandEntity } from './brand.entity.js';

@Injectable()
export class TypeOrmBrandRepository extends BrandRepository {
  constructor(
    @InjectRepository(BrandEntity) private readonly brands: Repository<BrandEntity>,
    private readonly database: Database,
  ) {
    super();
  }

  override async list(storeId: number, filter: BrandFilter, page: Page): Promise<PageOf<BrandRecord>> {
    if (matchesNothing(filter)) return NO_ROWS;
    const query = this.brands
      .createQueryBuilder('brand')
      .comment('brands.list')
      .where('brand.storeId = :storeId', { storeId })
      .andWhere('brand.active');
    const { search } = filter;
    if (search !== undefined)
      query.andWhere('strpos(lower(normalize(brand.name)), lower(normalize(:search))) > 0', { search });

    // Code points sort names the same on every operating system and in every locale.
    query.orderBy({ 'lower(brand.name) COLLATE "C"': 'ASC', 'brand.id': 'ASC' });
    const { entities, total } = await this.database.orm(storeId, () => pageWithTotal(query, page), {
      isSearch: search !== undefined || isDeep(page),
    });
    return { rows: entities.map(toBrandRecord), total };
  }

  override async findById(storeId: number, id: number): Promise<BrandRecord | null> {
    const brand = await this.database.orm(storeId, () =>
      this.brands.findOne({ where: { storeId, id }, comment: 'brands.find' }),
    );
    return brand && toBrandRecord(brand);
  }

  override async findByIds(storeId: number, ids: readonly number[]): Promise<BrandRecord[]> {
    const where = { storeId, id: In(ids) };
    const found = await this.database.orm(storeId, () => this.brands.find({ where, comment: 'brands.find_many' }));
    return found.map(toBrandRecord);
  }

  override async findBySlug(storeId: number, slug: string): Promise<BrandRecord | null> {
    const brand = await this.database.orm(storeId, () =>
      this.brands.findOne({ where: { storeId, slug: slugIs(slug) }, comment: 'brands.find' }),
    );
    return brand && toBrandRecord(brand);
  }
}

function toBrandRecord(brand: BrandEntity): BrandRecord {
  return { id: brand.id, name: brand.name, slug: brand.slug, logo: brand.logo, description: brand.description };
}

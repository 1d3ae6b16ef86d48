import { CategoryRepository, type CategoryFilter, type CategoryRecord, type Page, type PageOf } from '@app/application';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { slugIs } from './has-slug.js';
import { pageWithTotal } from '../lists/page-with-total.js';
import { isDeep, matchesNothing, NO_ROWS } from '../lists/paging.js';
import { Database } from '../postgres/database.js';
import { CategoryEntity } from './category.entity.js';

@Injectable()
export class TypeOrmCategoryRepository extends CategoryRepository {
  constructor(
    @InjectRepository(CategoryEntity) private readonly categories: Repository<CategoryEntity>,
    private readonly database: Database,
  ) {
    super();
  }

  override async list(storeId: number, filter: CategoryFilter, page: Page): Promise<PageOf<CategoryRecord>> {
    if (matchesNothing(filter)) return NO_ROWS;
    const { parentId, search } = filter;
    const query = this.categories
      .createQueryBuilder('category')
      .comment('categories.list')
      .where('category.storeId = :storeId', { storeId })
      .andWhere('category.active');
    if (parentId !== undefined) query.andWhere('category.parentId = :parentId', { parentId });
    if (search !== undefined)
      query.andWhere('strpos(lower(normalize(category.name)), lower(normalize(:search))) > 0', { search });

    // Code points sort names the same on every operating system and in every locale.
    query.orderBy({ 'category.displayOrder': 'ASC', 'category.name COLLATE "C"': 'ASC', 'category.id': 'ASC' });
    const { entities, total } = await this.database.orm(storeId, () => pageWithTotal(query, page), {
      isSearch: search !== undefined || isDeep(page),
    });
    return { rows: entities.map(toCategoryRecord), total };
  }

  override async findById(storeId: number, id: number): Promise<CategoryRecord | null> {
    const category = await this.database.orm(storeId, () =>
      this.categories.findOne({ where: { storeId, id }, comment: 'categories.find' }),
    );
    return category && toCategoryRecord(category);
  }

  override async findByIds(storeId: number, ids: readonly number[]): Promise<CategoryRecord[]> {
    const where = { storeId, id: In(ids) };
    const found = await this.database.orm(storeId, () =>
      this.categories.find({ where, comment: 'categories.find_many' }),
    );
    return found.map(toCategoryRecord);
  }

  override async findBySlug(storeId: number, slug: string): Promise<CategoryRecord | null> {
    const category = await this.database.orm(storeId, () =>
      this.categories.findOne({ where: { storeId, slug: slugIs(slug) }, comment: 'categories.find' }),
    );
    return category && toCategoryRecord(category);
  }
}

function toCategoryRecord(category: CategoryEntity): CategoryRecord {
  return {
    id: category.id,
    name: category.name,
    slug: category.slug,
    image: category.image,
    description: category.description,
    displayOrder: category.displayOrder,
    parentId: category.parentId,
  };
}
